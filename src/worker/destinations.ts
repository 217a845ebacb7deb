import type { ChannelRef, Ledger } from '../ledger/index.ts';
import { type Destination, sameDestination } from '../transfers/index.ts';

/** A channel's destination: its link, else the default one, else none. */
export type FindDestination = (channel: ChannelRef) => Promise<FoundDestination | null>;

export interface FoundDestination extends Destination {
  /** Null for the default destination, and where the account does not tell names. */
  folderName: string | null;
  /** Whether it is the default folder, which takes what many channels share. */
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
      const isDefault = fallback !== null && sameDestination(link, fallback);
      return { projectId, folderId, folderName, isDefault };
    }
    return fallback && { ...fallback, folderName: null, isDefault: true };
  };
}
