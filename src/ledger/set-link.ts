import { type ChannelRef, sameDestination } from '../transfers/index.ts';
import { findLink, isChannel, type Link, type StandingLink } from './channels.ts';
import { NOT_PAUSED, resumeFiles } from './paused-links.ts';
import { atomically, locked } from './rows.ts';
import type { Db } from './schema.ts';
import { moveWaiting } from './waiting-files.ts';
import { beginWatchAnew, endWatch } from './watches.ts';

const NO_LINK = {
  ...{ projectId: null, folderId: null, projectTitle: null, folderName: null },
  ...{ linkedBy: null, linkedAt: null },
};

/**
 * Links a channel; files that waited because its link was paused go to the new folder, due at once.
 * With another folder, the channel's watch starts anew. Resolves with the link that stood before:
 * of several concurrent calls, only one gets the link from before all of them.
 */
export function setLink(db: Db, ref: ChannelRef, link: Link): Promise<StandingLink | null> {
  const { team, channel } = ref;
  const { projectId, folderId, projectTitle, folderName, linkedBy, linkedAt } = link;
  const folder = { projectId, folderId, projectTitle, folderName };
  const values = { ...folder, linkedBy, linkedAt, ...NOT_PAUSED };
  return atomically(db, async (trx) => {
    const before = await findLink(trx, ref, locked(trx, 'channels'));
    await trx
      .insertInto('channels')
      .values({ team, channel, ...values })
      .onConflict((conflict) => conflict.columns(['team', 'channel']).doUpdateSet(values))
      .execute();
    const isSame = before !== null && sameDestination(before, link);
    if (!isSame) await beginWatchAnew(trx, ref, linkedAt);
    if (!before?.pausedFor) return before;
    const now = linkedAt;
    if (!isSame) await moveWaiting(trx, ref, { from: before, to: link, now });
    // Files that may be in the old folder are due for a look.
    await resumeFiles(trx, { ref, folder: before, now }, { pausedAt: null });
    return before;
  });
}

/**
 * Unlinks a channel and ends its watch; files that wait for its folder keep waiting. Resolves with
 * the link that stood before, as setLink does; null for none.
 */
export function removeLink(db: Db, ref: ChannelRef): Promise<StandingLink | null> {
  return atomically(db, async (trx) => {
    const before = await findLink(trx, ref, locked(trx, 'channels'));
    await trx
      .updateTable('channels')
      .set({ ...NO_LINK, ...NOT_PAUSED })
      .where(isChannel(ref))
      .execute();
    await endWatch(trx, ref);
    return before;
  });
}
