import type { App } from '@slack/bolt';
import { z } from 'zod';
import * as views from '../blocks/index.ts';
import { type ChannelRef, isUnrecordable } from '../ledger/index.ts';
import { type ParsedDeletion, parseAddedFiles, parseDeletion, parseShare } from '../slack/index.ts';
import { may, type Share } from '../transfers/index.ts';
import { admit, answer, identify, isDirect, readerOf } from './answer.ts';
import { APP_HOME, FIRST, inHomeOf, showAttention } from './attention.ts';
import { showHelp } from './commands.ts';
import { offerEarlierPrivately } from './earlier-files.ts';
import type { ListenerContext } from './listener-context.ts';
import { announce } from './post.ts';
import { nameFolder } from './show-files.ts';

/**
 * How long the worker is left asleep after a share, in milliseconds: while Slack waits for its answers to
 * a burst, filing would compete with them for the processor.
 */
const ANSWERED_FIRST_MS = 150;

/**
 * Records every share, and from when on a channel's history counts. The answer to Slack waits for
 * these listeners (see slack/bolt-app.ts), so they do no more than write to the ledger; all
 * else follows in the background.
 */
export function listenForEvents(app: App, context: ListenerContext): void {
  const { identity } = context.workspace;
  app.event('message', async ({ event }) => {
    const deleted = parseDeletion(event);
    const at = { ...identity, channel: event.channel };
    const share = parseShare(event, at) ?? parseAddedFiles(event, at);
    if (deleted.length > 0) await recordDeletions(deleted, context);
    if (share) await recordOrExplain(share, context);
    else if (deleted.length === 0) answerWords(event, context);
  });
  app.event('file_deleted', async ({ event }) => {
    await recordDeletions([{ fileId: event.file_id }], context);
  });
  // A private channel is shared with another workspace, and is another to Slack from then on.
  app.event('channel_id_changed', async ({ event }) => {
    const { old_channel_id: channel, new_channel_id: to } = event;
    const { team } = identity;
    await context.ledger.moveChannel({ team, channel }, { to, now: context.clock.now() });
    context.logger.info({ team, channel, to }, 'A channel got another identifier');
    context.wake();
  });
  // The time is Slack's own, as the event may come late. What is shared from then on is never missed.
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
  return answer(reply, context, (asked) =>
    showAttention({ asked, place: FIRST, notice: null }, context),
  );
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

const words = z.looseObject({
  channel: z.string(),
  channel_type: z.string().nullish(),
  user: z.string(),
  team: z.string().nullish(),
  text: z.string(),
  ts: z.string(),
  thread_ts: z.string().nullish(),
  subtype: z.literal('thread_broadcast').nullish(),
  bot_id: z.null().optional(),
});

// What is said to the app itself, or mentions it, is answered with help, privately.
function answerWords(event: unknown, context: ListenerContext): void {
  const { identity } = context.workspace;
  const { success, data } = words.safeParse(event);
  if (!success || data.user === identity.botUserId) return;
  const isDirectly = data.channel_type === 'im';
  if (isDirectly || data.text.includes(`<@${identity.botUserId}>`))
    context.inBackground(sayHelp(data, isDirectly, context));
}

async function sayHelp(
  said: z.infer<typeof words>,
  isDirectly: boolean,
  context: ListenerContext,
): Promise<void> {
  const turn = context.turns.take(said.user);
  if ('waitMs' in turn) return;
  try {
    const { workspace } = context;
    const { channel, user, thread_ts: threadTs = null } = said;
    const asker = { channel, userId: user, userTeam: said.team ?? null };
    const inThread = threadTs !== null;
    const view = await admit(asker, context, (asked) => showHelp(asked, context, { inThread }));
    if (!view) return;
    if (isDirectly && !inThread) await workspace.announce(channel, view);
    else await workspace.postEphemeral({ channel, user, threadTs }, view);
  } finally {
    turn.end();
  }
}

// Whoever linked the channel before could not tell it. Where nobody did, who adds me hears how to.
async function sayWhereFilesGo(
  ref: ChannelRef,
  inviter: string | undefined,
  context: ListenerContext,
): Promise<void> {
  const link = await context.ledger.findLink(ref);
  if (!link) return inviter === undefined ? undefined : greet(ref, inviter, context);
  const folder = await nameFolder(link, context);
  const { linkedBy: userId } = link;
  const announces = await context.ledger.isWatched(ref);
  const view = views.linkedBefore({ folder, byUserId: userId, announces });
  await announce(ref.channel, view, context);
  // Until I was in the channel I could not count them. Who linked it may have done so days ago.
  const asked = await identify({ channel: ref.channel, userId, userTeam: null }, context);
  const seenAt = inviter === userId ? context.clock.now() : null;
  if (may(asked, 'file-earlier'))
    await offerEarlierPrivately(asked, { destination: link, seenAt }, context);
}

async function greet(
  { channel }: ChannelRef,
  user: string,
  context: ListenerContext,
): Promise<void> {
  const asked = await identify({ channel, userId: user, userTeam: null }, context);
  const found = await context.findDestination(asked);
  const fallback = found && (await nameFolder(found, context));
  const view = views.addedHere({ ...readerOf(asked), fallback });
  await context.workspace.postEphemeral({ channel, user }, view);
}

// What the database refuses it would refuse again when Slack delivers it again.
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
  const { shareId, firstTransferId } = await context.ledger.recordShare({ ...input, now });
  if (firstTransferId === null) return;
  if (destination || (await isLinkedSince(share, shareId, context)))
    context.inBackground(context.clock.sleep(ANSWERED_FIRST_MS).then(context.wake));
  else context.inBackground(hint(share, firstTransferId, context));
}

// Whoever links the channel later is asked about what is parked; who did so just before was not.
async function isLinkedSince(
  share: Share,
  shareId: number,
  { ledger, findDestination, clock }: ListenerContext,
): Promise<boolean> {
  const destination = await findDestination(share);
  if (!destination) return false;
  await ledger.fileParkedShare(shareId, { destination, now: clock.now() });
  return true;
}

// Once a person: more would be noise.
async function hint(
  { team, channel, threadTs, userId }: Share,
  transferId: number,
  context: ListenerContext,
): Promise<void> {
  const { ledger, workspace, linkBy } = context;
  if (!userId || !(await ledger.isFirstParked({ team, channel }, { transferId, userId }))) return;
  const asker = { channel, userId, userTeam: null };
  // While Slack does not say who they are, nobody has any rights.
  const asked = await identify(asker, context).catch(() => null);
  const mayLink = asked !== null && may(asked, 'link-channel');
  const view = views.noDestinationHint({ mayLink, linkBy, isDirect: isDirect({ channel }) });
  await workspace.postEphemeral({ channel, user: userId, threadTs }, view);
}
