import { type ChannelRef, type Destination, type FolderRef, linkIfTo } from '../core/index.ts';
import type { NameCache } from './name-cache.ts';

/** Where a channel's link is found, and the names of folders. */
interface Names {
  ledger: { findLink(channel: ChannelRef): Promise<FolderRef | null> };
  names: Pick<NameCache, 'nameFolder'>;
}

/** Names a folder that a channel's files went to: as the channel's link does, else the account. */
export async function nameFolder(
  folder: Destination,
  channel: ChannelRef,
  { ledger, names }: Names,
): Promise<FolderRef> {
  const link = linkIfTo(folder, await ledger.findLink(channel));
  return names.nameFolder(link ?? folder, { lane: 'bulk' });
}
