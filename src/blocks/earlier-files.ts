import type { Destination } from '../transfers/index.ts';
import { writeFolderValue } from './action-values.ts';
import { ACTIONS } from './actions.ts';
import { button } from './button.ts';
import { counted } from './counted.ts';
import { ask } from './say.ts';
import type { View } from './view.ts';

export interface ConfirmParkedInput {
  /** Files held back. */
  count: number;
  /** The folder that the channel has been linked to. */
  destination: Destination;
}

/** Asks whether the files that were held back are filed now that the channel has a folder. */
export function confirmParked({ count, destination }: ConfirmParkedInput): View {
  const value = writeFolderValue(destination);
  return ask(
    [[`${were(count)} shared here before the channel was linked. ${them(count, 'File', 'too?')}`]],
    [
      button({ action: ACTIONS.fileParked, label: them(count, 'File'), value, style: 'primary' }),
      button({ action: ACTIONS.leaveParked, label: them(count, 'Leave'), value }),
    ],
  );
}

export interface BackfillOfferInput {
  /** Files found in the channel's history. */
  count: number;
  /** Whether there are more, further back than was looked. */
  more: boolean;
  destination: Destination;
}

/** Asks whether the files of a channel's history are filed too. */
export function backfillOffer({ count, more, destination }: BackfillOfferInput): View {
  const value = writeFolderValue(destination);
  const many = more ? 2 : count;
  const found = more ? `More than ${were(count)}` : were(count);
  return ask(
    [[`${found} shared here before. ${them(many, 'File', 'too?')}`]],
    [
      button({ action: ACTIONS.backfillStart, label: them(many, 'File'), value, style: 'primary' }),
      button({ action: ACTIONS.backfillDecline, label: them(many, 'Leave'), value }),
    ],
  );
}

function were(count: number): string {
  return `${counted(count, 'file')} ${count === 1 ? 'was' : 'were'}`;
}

function them(count: number, verb: string, after = ''): string {
  return `${verb} ${count === 1 ? 'it' : 'them'} ${after}`.trim();
}
