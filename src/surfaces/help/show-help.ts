import type { App, types } from '@slack/bolt';
import { folderNumber, folderReason, may } from '../../core/index.ts';
import { parseShare } from '../../slack/index.ts';
import {
  type AnswerOptions,
  type Asked,
  answer,
  readerOf,
  respondInThread,
} from '../kit/answer.ts';
import type { View } from '../kit/layout.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { help, noUpload } from './help.ts';

/** Shows the help for a channel, limited to what the person may do. */
export async function showHelp(
  asked: Asked,
  context: SurfaceContext,
  { inThread = false } = {},
): Promise<View> {
  return help({
    ...(await placeOf(asked, context)),
    ...{ inThread, commands: context.helpLines },
    mayBrowse: may(asked, 'browse-folders'),
  });
}

/** Shows a person who wants to upload what they can do there instead. */
export async function showUpload(asked: Asked, context: SurfaceContext): Promise<View> {
  return noUpload(await placeOf(asked, context));
}

async function placeOf(asked: Asked, context: SurfaceContext) {
  const destination = await context.findDestination(asked);
  const [linked, isIn, holds] = await Promise.all([
    destination && context.names.nameFolder(destination),
    context.workspace.isIn(asked.channel),
    context.ledger.listHolds(),
  ]);
  const hold = holds.find(({ scope }) => destination && scope === folderNumber(destination));
  return {
    ...{ linked, isIn },
    isDefault: destination?.isDefault ?? false,
    heldFor: folderReason(hold?.reason ?? null),
    ...readerOf(asked),
  };
}

/** Answers direct messages to the app and mentions of it with help that only the person sees. */
export function listenForWords(app: App, context: SurfaceContext): void {
  const { identity } = context.workspace;
  app.event('message', async ({ event }) => {
    if (!parseShare(event, { ...identity, channel: event.channel })) answerWords(event, context);
  });
}

/** A message that somebody wrote, rather than a notice of Slack. */
type Words = types.GenericMessageEvent | types.ThreadBroadcastMessageEvent;

function answerWords(event: types.AllMessageEvents, context: SurfaceContext): void {
  const { botUserId } = context.workspace.identity;
  if (event.subtype && event.subtype !== 'thread_broadcast') return;
  const isByApp = 'bot_id' in event && Boolean(event.bot_id);
  if (isByApp || event.user === botUserId) return;
  if (event.channel_type === 'im' || event.text?.includes(`<@${botUserId}>`))
    context.inBackground(sayHelp(event, context));
}

function sayHelp(said: Words, context: SurfaceContext): Promise<void> {
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
