import { writeShareValue } from './action-values.ts';
import { ACTIONS } from './actions.ts';
import { button } from './button.ts';
import { shownNumber } from './counted.ts';
import type { FolderRef } from './folder-ref.ts';
import { groupBy } from './group-by.ts';
import { buttonRow } from './layout.ts';
import { namedFiles } from './named-files.ts';
import { fallbackText, type Line, prose } from './prose.ts';
import { canRetry } from './reason-for.ts';
import { refusedLines } from './refused-lines.ts';
import { sendingLines } from './sending-lines.ts';
import type { FilePhase, ShareFile } from './share-file.ts';
import type { View } from './view.ts';
import { waitingLines } from './waiting-lines.ts';

export interface ShareLineInput {
  /** The ledger's number of the share. */
  shareId: number;
  files: readonly ShareFile[];
  /** Where the files go; null while the channel has no folder. */
  folder: FolderRef | null;
  /** Epoch milliseconds. */
  now: number;
}

/** What the thread of a share says of all its files: one message, edited in place. */
export function shareLine(input: ShareLineInput): View {
  const lines = shareLines(input);
  return {
    text: fallbackText(...lines),
    blocks: [prose(...lines), ...buttonRow([retryButton(input)])],
  };
}

function shareLines({ files, folder, now }: ShareLineInput): Line[] {
  const of = (phase: FilePhase) => files.filter((file) => file.phase === phase);
  const total = files.length;
  const lines = [
    ...filedLines(of('filed'), { total, folder }),
    ...untracedLines(of('filed')),
    ...sendingLines(of('sending')),
    ...waitingLines(of('waiting'), now),
    ...refusedLines(of('refused'), { total, retry: true }),
    ...parkedLines(of('parked'), folder),
    ...deletedLines(of('deleted')),
  ];
  return lines.length === 0 ? [['There is no file left in this share.']] : lines;
}

function filedLines(
  files: readonly ShareFile[],
  { total, folder }: { total: number; folder: FolderRef | null },
): Line[] {
  if (files.length === 0) return [];
  const all = files.length === total;
  const filed = all ? 'Filed' : `${shownNumber(files.length)} of ${shownNumber(total)} filed`;
  const where: Line = folder === null ? [] : [' in ', { folder }];
  return [[filed, ...where, ': ', ...namedFiles(files)]];
}

// The service says that it is there, and not under which name or number.
function untracedLines(files: readonly ShareFile[]): Line[] {
  const untraced = files.filter(({ isTraced }) => !isTraced);
  if (untraced.length === 0) return [];
  const [which, them] =
    untraced.length === 1
      ? ['entry in the folder is', 'it']
      : ['entries in the folder are', 'them'];
  return [
    [
      `The file service didn’t say which ${which} `,
      ...namedFiles(untraced),
      `, so I can’t delete ${them} for you. If you need to, delete ${them} in the file service.`,
    ],
  ];
}

function parkedLines(files: readonly ShareFile[], folder: FolderRef | null): Line[] {
  if (files.length === 0) return [];
  if (folder !== null) {
    return [
      ['Not filed, as somebody chose: ', ...namedFiles(files), '. To file after all, share again.'],
    ];
  }
  const next = '. To file, link this channel to a folder with ';
  return [['Held back: ', ...namedFiles(files), next, { command: '/files link' }, '.']];
}

function deletedLines(files: readonly ShareFile[]): Line[] {
  return groupBy(files, (file) => file.deletedBy ?? '').map((group): Line => {
    const by: Line = group[0].deletedBy === null ? [] : [' by ', { person: group[0].deletedBy }];
    return ['Deleted', ...by, ': ', ...namedFiles(group)];
  });
}

function retryButton({ shareId, files }: ShareLineInput) {
  const label = files.some(mayRetry) ? 'Retry' : files.some(waitsForTry) ? 'Try now' : null;
  if (label === null) return null;
  return button({ action: ACTIONS.retryShare, label, value: writeShareValue(shareId) });
}

function waitsForTry(file: ShareFile): boolean {
  return file.phase === 'waiting' && file.problem !== null;
}

function mayRetry(file: ShareFile): boolean {
  return file.phase === 'refused' && (file.problem === null || canRetry(file.problem));
}
