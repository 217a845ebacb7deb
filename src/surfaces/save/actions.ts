import { z } from 'zod';
import { CLAIMED, CLAIMED_FOLDER, type ClaimOf, claimWith } from '../kit/claims.ts';

/** A message, and the folder to which its files were saved. */
const saved = claimWith({ ...CLAIMED_FOLDER, channel: CLAIMED.channel, ts: z.string().max(40) });

/** Saves again those of its files that were removed from the folder. */
export const SAVE_AGAIN = { id: 'save_again', ...saved };

export type SaveAgainClaim = ClaimOf<typeof saved>;
