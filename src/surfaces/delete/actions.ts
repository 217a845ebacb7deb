import { z } from 'zod';
import { CLAIMED, CLAIMED_FOLDER, type ClaimOf, claimWith } from '../kit/claims.ts';

/** A file, and the page that shows its button. */
const file = claimWith({
  ...{ ...CLAIMED_FOLDER, page: CLAIMED.id, filter: CLAIMED.text.nullable(), fileId: CLAIMED.id },
  // As the question shows it.
  name: CLAIMED.text.optional(),
  size: z.number().nullable().optional(),
});

export const DELETE_FILE = { id: 'delete_file', ...file };

/** Puts back the deleted files of a share, or one of them. */
export const PUT_BACK = {
  id: 'put_back',
  ...claimWith({ shareId: CLAIMED.id, transferId: CLAIMED.id.nullable() }),
};

export type PutBackClaim = ClaimOf<typeof PUT_BACK>;

export type FileClaim = ClaimOf<typeof file>;
