import { z } from 'zod';
import { FILE_KINDS } from '../../core/index.ts';
import { CLAIMED, type ClaimOf, claimWith, through } from '../kit/claims.ts';

/** A page of the files of one kind; `kind` null: of all kinds. */
const foundPage = claimWith({
  words: CLAIMED.text,
  kind: z.enum(FILE_KINDS).nullable(),
  page: CLAIMED.id,
});

/** To another page of what was found: buttons, and a menu of all pages. */
export const FOUND_PAGES = {
  menu: { id: 'found_page', ...foundPage },
  ...through('found_page', foundPage),
};
export const FOUND_KIND = { id: 'found_kind', ...foundPage };

export type FoundPageClaim = ClaimOf<typeof foundPage>;
