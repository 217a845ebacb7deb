import { z } from 'zod';
import { CLAIMED, type ClaimOf, claimWith } from '../kit/claims.ts';

/**
 * The copies of a share's message that were asked about at that time, in epoch milliseconds. Its
 * channel; absent: where it is pressed.
 */
const copies = claimWith({
  shareId: CLAIMED.id,
  askedAt: z.number(),
  channel: CLAIMED.channel.optional(),
});

export const DELETE_COPIES = { id: 'delete_copies', ...copies };
export const KEEP_COPIES = { id: 'keep_copies', ...copies };

export type CopiesClaim = ClaimOf<typeof copies>;
