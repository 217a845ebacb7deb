import { z } from 'zod';
import { CLAIMED, type ClaimOf, claimWith, through } from '../kit/claims.ts';
import { modalPlace } from '../kit/modals.ts';

const pages = { page: CLAIMED.id, linksPage: CLAIMED.id };

const fields = { channel: CLAIMED.channel.nullable(), ...pages };
/** A channel with files that need attention, null for none, and the shown pages. */
const attention = claimWith(fields);

export const ATTENTION_PAGES = through('attention_page', attention);
export const HOME_PAGES = through('home_links', attention);
/** The App Home's channel picker; `shownAt`: epoch milliseconds, so that each one shown differs. */
export const HOME_CHANNEL = {
  id: 'home_channel',
  ...claimWith({ channel: modalPlace.shape.channel, ...pages, shownAt: z.number().int() }),
};
export const ATTENTION_RETRY = { id: 'attention_retry', ...attention };
export const ATTENTION_RELINK = { id: 'attention_relink', ...attention };
/** `shown`: how many files the person is asked about. */
export const ATTENTION_SKIP = {
  id: 'attention_skip',
  ...claimWith({ ...fields, shown: CLAIMED.id }),
};

export type AttentionClaim = ClaimOf<typeof attention>;
export type SkipClaim = ClaimOf<typeof ATTENTION_SKIP>;
/** The shown pages of what needs attention and of the linked channels. */
export type AttentionPages = Omit<AttentionClaim, 'channel'>;
