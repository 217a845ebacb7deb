import type { FolderRef } from '../transfers/index.ts';
import { ACTIONS, folderValue } from './actions.ts';
import { button } from './layout.ts';
import { ask, line, say, type View } from './prose.ts';
import { counted } from './text.ts';

export interface WaitingFilesInput {
  /** Files on their way. */
  count: number;
  /** The folder that the channel was linked to when they were shared. */
  from: FolderRef;
  /** Where files shared now go; null for nowhere. */
  to: FolderRef | null;
  /** The channel, where it is asked elsewhere. */
  elsewhere?: string | undefined;
}

/** Asks privately what becomes of the files that still wait for the folder of before. */
export function waitingFiles({ count, from, to, elsewhere: channel }: WaitingFilesInput): View {
  const { projectId, folderId } = from;
  const value = folderValue.write({ projectId, folderId, channel });
  const there = channel === undefined ? '' : line` in ${{ channel }}`;
  const are = count === 1 ? 'is' : 'are';
  const they = count === 1 ? 'it goes' : 'they go';
  return ask(
    [
      line`${counted(count, 'file')} shared${there} before ${are} still on the way to ${{ folder: from }}. Unless you choose otherwise, ${they} there.`,
    ],
    [
      to && button({ action: ACTIONS.moveWaiting, label: 'File in the new folder', value }),
      button({ action: ACTIONS.keepWaiting, label: 'File in the old folder', value }),
      button({ action: ACTIONS.leaveWaiting, label: 'Leave in Slack', value }),
    ],
  );
}

export interface WaitingSettledInput {
  /** Files that were still waiting at the press. */
  count: number;
  /** Where they go now; null for nowhere. */
  to: FolderRef | null;
  /** The folder of before, and how many are being sent there already. */
  from: FolderRef;
  beingSent: number;
}

/** Replaces the question once somebody chose: what happens now. */
export function waitingSettled({ count, to, from, beingSent }: WaitingSettledInput): View {
  const files = counted(count, 'file');
  const go = count === 1 ? 'goes' : 'go';
  const stay = count === 1 ? 'stays' : 'stay';
  const chosen = to
    ? line`${files} ${go} to ${{ folder: to }}.`
    : [`${files} ${stay} in Slack only.`];
  const sent = counted(beingSent, 'file');
  const was = beingSent === 1 ? 'was' : 'were';
  return say(
    count === 0 ? ['No file is waiting any more.'] : chosen,
    ...(beingSent > 0 ? [line`${sent} ${was} being sent to ${{ folder: from }} already.`] : []),
  );
}
