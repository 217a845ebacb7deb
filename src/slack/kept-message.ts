import type { MessageBody, MessagePlace, Place } from './messages.ts';

/** What a message of ours that is kept up to date is to be in Slack, as its surface renders it. */
export interface KeptMessage {
  place: Place;
  /** The timestamp from which it may exist: it is searched from there if its post got no answer. */
  oldest: string;
  /**
   * Resolves with what it says, by default where it stands already, else in this conversation. Null: it
   * says nothing new.
   */
  say: ((elsewhere?: string) => Promise<MessageBody>) | null;
  /** When it is rendered again without a change, by our clock; null for never. */
  dueAt: number | null;
  /** The one reaction of ours that another message is to bear, none if `name` is null. Default: as it is. */
  reaction?: { on: MessagePlace; name: string | null };
  /** The member who is told privately what it says where the app cannot post. Default: nobody. */
  reader?: string | null;
}
