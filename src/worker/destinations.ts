import type { FolderRef } from '../blocks/index.ts';
import type { ChannelRef, Ledger } from '../ledger/index.ts';
import type { NameCache } from '../service/index.ts';
import { type ChannelDestination, type Destination, sameDestination } from '../transfers/index.ts';

/** A channel's destination: its link, else the default one, else none. */
export type FindDestination = (channel: ChannelRef) => Promise<ChannelDestination | null>;

export function createFindDestination(
  ledger: Ledger,
  fallback: Destination | null,
): FindDestination {
  return async (channel) => {
    const link = await ledger.findLink(channel);
    if (link) {
      const { projectId, folderId, folderName } = link;
      const isDefault = fallback !== null && sameDestination(link, fallback);
      return { projectId, folderId, folderName, isDefault };
    }
    return fallback && { ...fallback, folderName: null, isDefault: true };
  };
}

/** A folder that a channel's files went to, by its name: from the channel's link, else from the account. */
export async function nameFolder(
  { projectId, folderId }: Destination,
  channel: ChannelRef,
  { ledger, names }: { ledger: Pick<Ledger, 'findLink'>; names: Pick<NameCache, 'folderName'> },
): Promise<FolderRef> {
  const folder = { projectId, folderId };
  const link = await ledger.findLink(channel);
  const linked = link && sameDestination(link, folder) ? link.folderName : null;
  return { ...folder, name: linked ?? (await names.folderName(folder, { lane: 'bulk' })) };
}
