import type { ShareRow } from '../../ledger/index.ts';
import type { Handler } from '../kit/answer.ts';

/**
 * Returns the share that a button names; null unless it is of the channel where the button is pressed,
 * or its line is there.
 */
export const shareHere: Handler<{ shareId: number }, ShareRow | null> = async (
  { team, channel },
  { shareId },
  { ledger },
) => {
  const share = await ledger.findShareById(shareId);
  if (!share || share.team !== team) return null;
  if (channel === share.channel) return share;
  const line = await ledger.findMessage({ kind: 'share', about: shareId });
  return channel === line.channel ? share : null;
};
