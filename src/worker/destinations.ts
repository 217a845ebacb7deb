import type { Ledger } from '../ledger/index.ts';
import type { NameCache } from '../service/index.ts';
import {
  type ChannelDestination,
  type ChannelRef,
  type Destination,
  type FolderRef,
  sameDestination,
} from '../transfers/index.ts';

/** Resolves with a channel's destination: its link, else the default one, else null. */
export type FindDestination = (channel: ChannelRef) => Promise<ChannelDestination | null>;

export function createFindDestination(
  ledger: Ledger,
  fallback: Destination | null,
): FindDestination {
  return async (channel) => {
    const link = await ledger.findLink(channel);
    if (link) {
      const { projectId, folderId, projectTitle, folderName, pausedFor } = link;
      const isDefault = fallback !== null && sameDestination(link, fallback);
      return { projectId, folderId, projectTitle, folderName, isDefault, pausedFor };
    }
    return fallback && { ...fallback, projectTitle: null, folderName: null, isDefault: true };
  };
}

/** Names a folder that a channel's files went to: as the channel's link does, else the account. */
export async function nameFolder(
  folder: Destination,
  channel: ChannelRef,
  { ledger, names }: { ledger: Pick<Ledger, 'findLink'>; names: Pick<NameCache, 'nameFolder'> },
): Promise<FolderRef> {
  const link = await ledger.findLink(channel);
  const isLinked = link !== null && sameDestination(link, folder);
  return names.nameFolder(isLinked ? link : folder, { lane: 'bulk' });
}
