import type { ChannelRef, Ledger } from '../ledger/index.ts';
import type { Destination } from '../transfers/index.ts';

/** A channel's destination: its link, else the default one, else none. */
export type FindDestination = (channel: ChannelRef) => Promise<FoundDestination | null>;

export interface FoundDestination extends Destination {
  /** Null for the default destination, and where the account does not tell names. */
  folderName: string | null;
  isDefault: boolean;
}

export function createFindDestination(
  ledger: Ledger,
  fallback: Destination | null,
): FindDestination {
  return async (channel) => {
    const link = await ledger.findLink(channel);
    if (link) {
      const { projectId, folderId, folderName } = link;
      return { projectId, folderId, folderName, isDefault: false };
    }
    return fallback && { ...fallback, folderName: null, isDefault: true };
  };
}
