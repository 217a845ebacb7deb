import { CLAIMED, claimWith } from '../kit/claims.ts';

const ofShare = claimWith({ shareId: CLAIMED.id });

export const RETRY_SHARE = { id: 'retry_share', ...ofShare };
export const FILE_SHARE = { id: 'file_share', ...ofShare };
