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

/** The reader, and what they may do in this conversation. */
export interface ReaderHere {
  /** Whether they may link the channel. */
  mayLink: boolean;
  /** Who may link channels. */
  linkBy: LinkBy;
  /** Whether it is a direct message rather than a channel. */
  isDirect: boolean;
}

/** The same, for text that does not depend on the kind of conversation. */
export type LinkReader = Omit<ReaderHere, 'isDirect'>;

/** The same, for text that does not depend on the reader. */
export type LinkRule = Pick<ReaderHere, 'linkBy'>;

/** The beginning of a sentence about what the reader can do, or else somebody who may link. */
export function whoCanLink({ mayLink, linkBy }: LinkReader): string {
  return mayLink ? 'You can' : ONE_WHO_LINKS[linkBy];
}

/** Returns the word for the reader's conversation: only a channel is called one. */
export function placeWord({ isDirect }: Pick<ReaderHere, 'isDirect'>): string {
  return isDirect ? 'conversation' : 'channel';
}

/** Tells people of other workspaces why they are refused, and what they can do. */
export const OTHER_WORKSPACE = 'Only members of this workspace can do that. Ask one of its admins.';
