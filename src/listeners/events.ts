import type { App, types } from '@slack/bolt';
import * as views from '../blocks/index.ts';
import { isUnrecordable } from '../ledger/index.ts';
import {
  type ParsedDeletion,
  parseAddedFiles,
  parseDeletion,
  parseEdited,
  parseShare,
  slackTs,
} from '../slack/index.ts';
import { type ChannelRef, isDirect, may, type Share } from '../transfers/index.ts';
import { type AnswerOptions, answer, identify, readerOf, respondInThread } from './answer.ts';
import { APP_HOME, FIRST_PAGES, inHomeOf, showAttention } from './attention.ts';
import { showHelp } from './commands.ts';
import { offerEarlierPrivately } from './earlier-files.ts';
import { announce, SKEW_MS } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Records shares, deletions, joins and new channel identifiers in the ledger. The response to
 * Slack waits for these listeners (see slack/bolt-app.ts), so they only write to the ledger and do
 * the rest in the background.
 */
export function listenForEvents(app: App, context: ListenerContext): void {
  const { identity } = context.workspace;
  app.event('message', async ({ event }) => {
    const deleted = parseDeletion(event);
    const at = { ...identity, channel: event.channel };
    const edited = parseEdited(event, at);
    const share = edited
      ? await filesLacking(edited, context)
      : (parseShare(event, at) ?? parseAddedFiles(event, at));
    if (deleted.length > 0) await recordDeletions(deleted, context);
    if (share) await recordOrExplain(share, context);
    else if (deleted.length === 0) answerWords(event, context);
  });
  app.event('file_deleted', async ({ event }) => {
    await recordDeletions([{ fileId: event.file_id }], context);
  });
  // Slack changes the identifier of a private channel when it is shared with another workspace.
  app.event('channel_id_changed', async ({ event }) => {
    const { old_channel_id: channel, new_channel_id: to } = event;
    const { team } = identity;
    await context.ledger.moveChannel({ team, channel }, { to, now: context.clock.now() });
    context.logger.info({ team, channel, to }, 'A channel got another identifier');
    context.wake();
  });
  // Uses Slack's time, because the event may come late: no share after the join is missed.
  app.event('member_joined_channel', async ({ event }) => {
    if (event.user !== identity.botUserId) return;
    const channel = { team: identity.team, channel: event.channel };
    const isNews = await context.ledger.recordJoin(channel, event.event_ts);
    if (isNews) context.inBackground(sayWhereFilesGo(channel, event.inviter, context));
  });
  app.event('app_home_opened', async ({ event: { tab, user } }) => {
    if (tab === 'home') context.inBackground(showHome(user, context));
  });
}

function showHome(userId: string, context: ListenerContext): Promise<void> {
  const asker = { channel: APP_HOME, userId, userTeam: null };
  const reply = { asker, respond: inHomeOf(userId, context), doing: 'status' as const };
  return answer(reply, context, (asked) => showAttention(asked, FIRST_PAGES, context));
}

async function recordDeletions(
  deleted: readonly ParsedDeletion[],
  { ledger, workspace, onSlackDelete, clock, wake }: ListenerContext,
): Promise<void> {
  if (onSlackDelete === 'keep') return;
  const { team } = workspace.identity;
  const found = deleted.map((one) => ({ team, ...one }));
  await ledger.recordDeletions(found, clock.now());
  wake();
}

/** A message that somebody wrote, rather than a notice of Slack. */
type Words = types.GenericMessageEvent | types.ThreadBroadcastMessageEvent;

// Answers direct messages to the app and mentions of it with help that only the person sees.
function answerWords(event: types.AllMessageEvents, context: ListenerContext): void {
  const { botUserId } = context.workspace.identity;
  if (event.subtype && event.subtype !== 'thread_broadcast') return;
  const isByApp = 'bot_id' in event && Boolean(event.bot_id);
  if (isByApp || event.user === botUserId) return;
  if (event.channel_type === 'im' || event.text?.includes(`<@${botUserId}>`))
    context.inBackground(sayHelp(event, context));
}

function sayHelp(said: Words, context: ListenerContext): Promise<void> {
  const { workspace } = context;
  const { channel, user: userId, ts, thread_ts: thread } = said;
  const asker = { channel, userId, userTeam: ('team' in said && said.team) || null };
  const respond: AnswerOptions['respond'] = ({ text, blocks }) =>
    said.channel_type === 'im'
      ? workspace.announce(channel, { text, blocks })
      : workspace.postEphemeral({ channel, user: userId }, { text, blocks });
  const inThread = Boolean(thread);
  const reply = {
    asker,
    respond: respondInThread(asker, { ts, thread, respond }, context),
    doing: 'help' as const,
  };
  return answer(reply, context, (asked) => showHelp(asked, context, { inThread }));
}

// Announces a link that was made before the bot joined. Without a link, greets the inviter.
async function sayWhereFilesGo(
  ref: ChannelRef,
  inviter: string | undefined,
  context: ListenerContext,
): Promise<void> {
  const link = await context.ledger.findLink(ref);
  if (!link) return inviter === undefined ? undefined : greet(ref, inviter, context);
  const folder = await context.names.nameFolder(link);
  const { linkedBy: userId } = link;
  const announces = await context.ledger.isWatched(ref);
  const view = views.linkedBefore({ folder, byUserId: userId, announces });
  await announce(ref.channel, view, context);
  // Only now can the bot count earlier files. The person who linked may have been away for days.
  const isElsewhere = inviter !== userId;
  const asker = { channel: ref.channel, userId, userTeam: null, isElsewhere };
  const asked = await identify(asker, context);
  if (may(asked, 'link-channel')) await offerEarlierPrivately(asked, link, context);
}

async function greet(
  { channel }: ChannelRef,
  user: string,
  context: ListenerContext,
): Promise<void> {
  const asked = await identify({ channel, userId: user, userTeam: null }, context);
  const found = await context.findDestination(asked);
  const fallback = found && (await context.names.nameFolder(found));
  const view = views.addedHere({ ...readerOf(asked), fallback });
  await context.workspace.postEphemeral({ channel, user }, view);
}

// If the database refuses a share, it would refuse a redelivery too, so the event still succeeds.
async function recordOrExplain(share: Share, context: ListenerContext): Promise<void> {
  try {
    await recordShare(share, context);
  } catch (error) {
    if (!isUnrecordable(error)) throw error;
    context.inBackground(context.leaveUnrecorded(share, error));
  }
}

async function recordShare(share: Share, context: ListenerContext): Promise<void> {
  const destination = await context.findDestination(share);
  const input = { share, origin: 'event' as const, destination, reportId: null };
  const now = context.clock.now();
  const { firstParkedId } = await context.ledger.recordShare({ ...input, now });
  if (firstParkedId !== null) context.inBackground(hint(share, firstParkedId, context));
  context.wake();
}

// Of a message that the ledger does not know, an older one's files are filed only on request: what
// was shared before the channel had a folder.
async function filesLacking(edited: Share, { ledger }: ListenerContext): Promise<Share | null> {
  const [lacking = null] = await ledger.unknownFiles(edited, [edited]);
  if (lacking === null || lacking.files.length < edited.files.length) return lacking;
  const link = await ledger.findLink(edited);
  const { joinedTs } = await ledger.findHistoryMarks(edited);
  const since = link ? slackTs(link.linkedAt - SKEW_MS) : (joinedTs ?? '');
  return edited.ts >= since ? lacking : null;
}

// Shown once per person and channel, to avoid noise.
async function hint(
  { team, channel, threadTs, userId }: Share,
  transferId: number,
  context: ListenerContext,
): Promise<void> {
  const { ledger, workspace, linkBy } = context;
  if (!userId || !(await ledger.isFirstParked({ team, channel }, { transferId, userId }))) return;
  const asker = { channel, userId, userTeam: null };
  // If Slack cannot identify the person, they have no rights.
  const asked = await identify(asker, context).catch(() => null);
  const mayLink = asked !== null && may(asked, 'link-channel');
  const view = views.noDestinationHint({ mayLink, linkBy, isDirect: isDirect({ channel }) });
  await workspace.postEphemeral({ channel, user: userId, threadTs }, view);
}
