import type { App } from '@slack/bolt';
import { linkedBefore, noDestinationHint, notRecorded } from '../blocks/index.ts';
import { isUnrecordable } from '../ledger/index.ts';
import { parseShare } from '../slack/index.ts';
import type { Share } from '../transfers/index.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Records every share, and from when on a channel's history counts. The answer to Slack waits for
 * these listeners (see slack/bolt-app.ts), so they do no more than write to the ledger; all
 * else follows in the background.
 */
export function listenForEvents(app: App, context: ListenerContext): void {
  const { identity } = context.workspace;
  app.event('message', async ({ event }) => {
    const share = parseShare(event, { ...identity, channel: event.channel });
    if (share) await recordOrExplain(share, context);
  });
  // The time is Slack's own, as the event may come late. What is shared from then on is never missed.
  app.event('member_joined_channel', async ({ event }) => {
    if (event.user !== identity.botUserId) return;
    const channel = { team: identity.team, channel: event.channel };
    const isNews = await context.ledger.confirmUpTo(channel, event.event_ts);
    if (isNews) context.inBackground(sayWhereFilesGo(channel, context));
  });
}

// Whoever linked the channel before could not tell it.
async function sayWhereFilesGo(
  ref: { team: string; channel: string },
  { ledger, workspace }: ListenerContext,
): Promise<void> {
  const link = await ledger.findLink(ref);
  if (!link) return;
  const folder = { ...link, name: link.folderName };
  await workspace.announce(ref.channel, linkedBefore({ folder, byUserId: link.linkedBy }));
}

// What the database refuses it would refuse again when Slack delivers it again.
async function recordOrExplain(share: Share, context: ListenerContext): Promise<void> {
  try {
    await recordShare(share, context);
  } catch (error) {
    if (!isUnrecordable(error)) throw error;
    const { channel, ts, userId, files } = share;
    context.logger.error({ channel, ts, error }, 'A share cannot be recorded');
    const view = notRecorded({ files: files.length, operator: context.operator });
    if (userId)
      context.inBackground(context.workspace.postEphemeral({ channel, user: userId }, view));
  }
}

async function recordShare(share: Share, context: ListenerContext): Promise<void> {
  const destination = await context.findDestination(share);
  const input = { share, origin: 'event' as const, destination, reportId: null };
  const now = context.clock.now();
  const { shareId, transfers } = await context.ledger.recordShare({ ...input, now });
  if (transfers === 0) return;
  if (destination || (await isLinkedSince(share, shareId, context))) context.wake();
  else context.inBackground(hint(share, shareId, context));
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
  { team, channel, userId }: Share,
  shareId: number,
  { ledger, workspace }: ListenerContext,
): Promise<void> {
  if (!userId || !(await ledger.isFirstParked({ team, channel }, { shareId, userId }))) return;
  await workspace.postEphemeral({ channel, user: userId }, noDestinationHint());
}
