import { z } from 'zod';
import { CLAIMED, CLAIMED_FOLDER, claimWith, folderHere } from '../kit/claims.ts';

/** A channel; null: the one where it is pressed. */
const channelHere = claimWith({ channel: CLAIMED.channel.nullable() });

export const UNLINK = { id: 'unlink', ...claimWith(CLAIMED_FOLDER) };
export const KEEP_LINK = { id: 'keep_link', ...claimWith(CLAIMED_FOLDER) };
/** Links again as before: `url` as it was pasted, or empty. */
export const LINK_AGAIN = {
  id: 'link_again',
  ...claimWith({
    ...CLAIMED_FOLDER,
    ...{ url: CLAIMED.text, lines: z.boolean(), announces: z.boolean() },
  }),
};
export const LINK_CHANNEL = { id: 'link_channel', ...channelHere };
export const FILE_PARKED = { id: 'file_parked', ...folderHere };
export const LEAVE_PARKED = { id: 'leave_parked', ...folderHere };
export const MOVE_WAITING = { id: 'move_waiting', ...folderHere };
export const KEEP_WAITING = { id: 'keep_waiting', ...folderHere };
export const PARK_WAITING = { id: 'leave_waiting', ...folderHere };
export const BACKFILL_START = { id: 'backfill_start', ...folderHere };
export const BACKFILL_DECLINE = { id: 'backfill_decline', ...folderHere };
export const BACKFILL_STOP = { id: 'backfill_stop', ...claimWith({ reportId: CLAIMED.id }) };
