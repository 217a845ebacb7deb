import {
  type ChannelRef,
  type FolderRef,
  folderNumber,
  isFolder,
  sameDestination,
  toDestination,
} from '../core/index.ts';
import { type HoldableLink, isChannel, type Link, lockLink } from './channels.ts';
import { listHolds, probeHolds } from './holds.ts';
import { atomically } from './run-statements.ts';
import type { Db } from './schema.ts';
import { moveWaiting, resumeFiles } from './waiting-files.ts';
import { endWatch, setWatched } from './watches.ts';

/* Sets or removes a channel's link, with all that depends on it. */

const NO_LINK = {
  ...{ projectId: null, folderId: null, projectTitle: null, folderName: null },
  ...{ url: null, linkedBy: null, linkedAt: null, lines: 0 },
};

interface LinkSet {
  /** False if the channel was linked to the folder already, with no hold on that: the link stays. */
  isNew: boolean;
  /** The other folder that the channel was linked to until now; null for none. */
  wasFolder: FolderRef | null;
}

/**
 * Links a channel, unless it is linked to that folder and that is not held (of that, only an address
 * that was pasted is noted); files that waited under a hold go to the new folder, due at once, or the
 * hold is probed now. With another folder, the channel's watch starts anew. Of several concurrent calls
 * with the same folder, only one gets `isNew`.
 */
export function setLink(db: Db, ref: ChannelRef, link: Link): Promise<LinkSet> {
  const { projectId, folderId, projectTitle, folderName, linkedBy, linkedAt: now } = link;
  const { url = null } = link;
  const folder = { projectId, folderId, projectTitle, folderName, url };
  const values = { ...folder, linkedBy, linkedAt: now };
  return atomically(db, async (trx) => {
    const before = await lockLink(trx, ref);
    const isSame = before !== null && sameDestination(before, link);
    if (isSame && url === null) values.url = before.url ?? null;
    if (isSame && before.heldFor === null) {
      if (values.url !== before.url)
        await trx.updateTable('channels').set({ url }).where(isChannel(ref)).execute();
      return { isNew: false, wasFolder: null };
    }
    await trx.updateTable('channels').set(values).where(isChannel(ref)).execute();
    // Of another folder, nothing was seen; a look into the previous one loses its claim.
    if (!isSame && (await endWatch(trx, ref))) await setWatched(trx, ref, { on: true, now });
    // Also from the default folder, to which an unlinked channel's files go.
    for (const { scope } of await listHolds(trx))
      if (isFolder(scope) && scope !== folderNumber(link))
        await moveWaiting(trx, ref, { from: toDestination(scope), to: link, now });
    if (before?.heldFor) {
      // Files that may be in the old folder are due for a look.
      await probeHolds(trx, { at: now, scope: folderNumber(before) });
      await resumeFiles(trx, ref, { folder: before, now });
    }
    return { isNew: true, wasFolder: isSame ? null : before };
  });
}

/**
 * Unlinks a channel and ends its watch; files that wait for its folder keep waiting. Resolves with
 * the link that stood before; null for none. Of several concurrent calls, only one gets it.
 */
export function removeLink(db: Db, ref: ChannelRef): Promise<HoldableLink | null> {
  return atomically(db, async (trx) => {
    const before = await lockLink(trx, ref);
    await trx.updateTable('channels').set(NO_LINK).where(isChannel(ref)).execute();
    await endWatch(trx, ref);
    return before;
  });
}
