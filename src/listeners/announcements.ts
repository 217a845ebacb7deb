import {
  announcementsStand,
  announcementsSwitched,
  noAnnouncements,
  noDestinationHint,
  type View,
} from '../blocks/index.ts';
import { may } from '../transfers/index.ts';
import { type Asked, isDirect, refusalOf } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { announceInChannel } from './post.ts';
import { nameFolder } from './show-files.ts';

/**
 * Has a channel told what others add to its folder, or no more, as somebody who may link it wishes; null
 * for the wish to know how it stands.
 */
export async function announceAdded(
  asked: Asked,
  wish: boolean | null,
  context: ListenerContext,
): Promise<View | null> {
  const refusal = wish === null ? null : refusalOf(asked, 'announce');
  if (refusal) return refusal;
  const { ledger, findDestination, clock, logger } = context;
  const { team, channel, userId: byUserId, linkBy } = asked;
  const mayLink = may(asked, 'link-channel');
  const destination = await findDestination(asked);
  if (!destination) return noDestinationHint({ mayLink, linkBy, isDirect: isDirect(asked) });
  const folder = await nameFolder(destination, context);
  if (destination.isDefault) return noAnnouncements({ folder });
  const changes = wish !== null && (await ledger.setWatched(asked, { on: wish, now: clock.now() }));
  const on = await ledger.isWatched(asked);
  if (!changes) return announcementsStand({ folder, on, mayLink, linkBy });
  logger.info({ team, channel, user: byUserId, on }, 'Announcements of added files were switched');
  return announceInChannel(channel, announcementsSwitched({ folder, on, byUserId }), context);
}
