import type { FolderRef, Share } from '../core/index.ts';
import type { MessageBody } from '../slack/index.ts';

/** Filed copies of files that were deleted in Slack, about which their sharer is asked. */
interface AskedCopies {
  claim: {
    shareId: number;
    askedAt: number;
    /** The channel of the files, if the question is read elsewhere. */
    channel?: string | undefined;
  };
  files: readonly { name: string }[];
  /** Null when they are in several folders. */
  folder: FolderRef | null;
}

/** What people are told of what the engine meets, by the surfaces that have the words. */
export interface Notices {
  /** Tells once of a hold that no channel can mend. */
  ofHold(scope: string): Promise<void>;
  /** Tells that Slack's token reads files again. */
  ofToken(): Promise<void>;
  /** Tells the sharer that a share cannot be recorded. */
  ofUnrecorded(share: Share, error: unknown): Promise<void>;
  /** Must be called with the channels and direct messages that the bot is in. */
  channelsListed(channels: readonly string[]): void;
  /** Returns the question whether to delete the copies too. */
  ofDeleted(asked: AskedCopies): MessageBody;
}
