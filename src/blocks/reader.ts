import type { LinkBy } from '../transfers/index.ts';

/** Who may link channels, in words for the middle of a sentence. */
export const LINKERS: Record<LinkBy, string> = {
  admins: 'workspace admins',
  members: 'full members of this workspace',
};

/** The beginning of a sentence about what one of them can do. */
export const ONE_WHO_LINKS: Record<LinkBy, string> = {
  admins: 'A workspace admin can',
  members: 'A full member of this workspace can',
};

export interface LinkRule {
  /** Who may link channels. */
  linkBy: LinkBy;
}

export interface LinkReader extends LinkRule {
  /** Whether the reader may link the channel. */
  mayLink: boolean;
}

export interface Conversation {
  /** Whether it is a direct message rather than a channel. */
  isDirect: boolean;
}

/** The reader of a text in a conversation. */
export interface ReaderHere extends LinkReader, Conversation {}

/** The beginning of a sentence about what the reader can do, or else somebody who may link. */
export function whoCanLink({ mayLink, linkBy }: LinkReader): string {
  return mayLink ? 'You can' : ONE_WHO_LINKS[linkBy];
}

/** Returns the word for the reader's conversation: only a channel is called one. */
export function placeWord({ isDirect }: Conversation): string {
  return isDirect ? 'conversation' : 'channel';
}

/** Tells somebody who may not link channels how to get another folder, within a sentence. */
export function askToLink({ linkBy }: LinkRule, which: string): string {
  return `ask one of the ${LINKERS[linkBy]} to link ${which} to another folder`;
}

/** Tells people of other workspaces why they are refused, and what they can do. */
export const OTHER_WORKSPACE = 'Only members of this workspace can do that. Ask one of its admins.';
