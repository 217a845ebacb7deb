import type { App } from '@slack/bolt';
import { type ChannelRef, may } from '../../core/index.ts';
import { identify, readerOf } from '../kit/answer.ts';
import { isStillIn } from '../kit/membership.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { offerEarlierPrivately } from './earlier-files.ts';
import { keepBookmark } from './keep-bookmark.ts';
import { announce } from './link-channel.ts';
import { addedHere, linkedBefore } from './link-messages.ts';

/** Records which channels the bot joins, and new identifiers of channels. */
export function listenForChannels(app: App, context: SurfaceContext): void {
  const { identity } = context.workspace;
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
}

// Announces a link that was made before the bot joined, and puts its bookmark. Without a link, greets
// the inviter.
async function sayWhereFilesGo(
  ref: ChannelRef,
  inviter: string | undefined,
  context: SurfaceContext,
): Promise<void> {
  const link = await context.ledger.findLink(ref);
  if (!link) return inviter === undefined ? undefined : greet(ref, inviter, context);
  const folder = await context.names.nameFolder(link);
  const { linkedBy: userId, announces } = link;
  const view = linkedBefore({ folder, byUserId: userId, announces });
  await announce(ref.channel, view, context);
  await keepBookmark(ref, context);
  // Only now can the bot count earlier files. The person who linked may have been away for days.
  const isElsewhere = inviter !== userId;
  const asker = { channel: ref.channel, userId, userTeam: null, isElsewhere };
  const asked = await identify(asker, context);
  if (may(asked, 'link-channel') && (await isStillIn(asked, context)))
    await offerEarlierPrivately(asked, link, context);
}

async function greet(
  { channel }: ChannelRef,
  user: string,
  context: SurfaceContext,
): Promise<void> {
  const asked = await identify({ channel, userId: user, userTeam: null }, context);
  const found = await context.findDestination(asked);
  const fallback = found && (await context.names.nameFolder(found));
  const view = addedHere({ ...readerOf(asked), fallback });
  await context.workspace.postEphemeral({ channel, user }, view);
}
