import { FILE_KINDS, type FileKind, type FolderRef } from '../../core/index.ts';
import { asOf, fileEntries } from '../files/file-list.ts';
import { foundFileMenu } from '../files/file-menu.ts';
import type { ListedFile } from '../files/listed-file.ts';
import {
  type Block,
  heading,
  menu,
  option,
  pager,
  shownPage,
  smallPrint,
  type View,
  viewOf,
} from '../kit/layout.ts';
import { type Line, line, prose, say } from '../kit/prose.ts';
import { agreeing, counted, joined, shownNumber, shownText } from '../kit/text.ts';
import { FOUND_KIND, FOUND_PAGES, type FoundPageClaim } from './actions.ts';

interface FoundFile extends ListedFile {
  folder: FolderRef;
  /** Whether it is one of the files of the channel where the list is shown. */
  isHere: boolean;
}

export interface FoundFilesInput extends FoundPageClaim {
  /** The files of this page, newest first; at most FILES_PER_PAGE. */
  files: readonly FoundFile[];
  pages: number;
  /** How many files match the words, by kind; a kind without any may be absent. */
  kinds: Partial<Record<FileKind, number>>;
  /** Files that were searched. */
  total: number;
  /** Folders that were searched. */
  folders: number;
  /** Folders of the reader's channels that were not searched, or not in full. */
  missed: MissedFolders;
  /** The age of the oldest reading that was searched, while the service is down; null: it is not. */
  downAgeMs: number | null;
  /** Epoch milliseconds. */
  now: number;
}

/** How many folders a search skipped or did not read to the end, by what can be done about it. */
export interface MissedFolders {
  /** They may be readable in a minute. */
  later: number;
  /** The service refuses access to them, or no longer has them. */
  shut: number;
  /** Beyond MAX_SEARCHED. */
  beyond: number;
}

/** The most folders that one search covers. */
export const MAX_SEARCHED = 50;

/** The response to `/files find`: a page of files in the folders of the reader's channels. */
export function foundFiles(input: FoundFilesInput): View {
  const { words, kinds, downAgeMs, missed, now } = input;
  const entries = fileEntries(input.files, {
    menuOf: ({ folder, isHere, ...file }) => foundFileMenu(file, { ...folder, isHere }),
    now,
  });
  const isEmpty = entries.length === 0;
  const provisos = [...(downAgeMs === null ? [] : [asOf(downAgeMs, 'down')]), ...missing(missed)];
  return viewOf([
    heading(words === '' ? 'Files in your channels' : `Files with “${shownText(words)}”`),
    ...(isEmpty ? [prose(whyEmpty(input))] : [smallPrint(summary(input))]),
    provisos.length === 0 ? null : smallPrint(provisos.join(' ')),
    ...entries,
    ...(sumOf(kinds) === 0 ? [] : turning(input)),
  ]);
}

/** The private response to `/files find` when none of the reader's channels has a folder. */
export const NOWHERE_TO_FIND = say(
  line`None of your channels has a folder yet. ${{ command: '/files help' }} says how one gets it.`,
);

function sumOf(kinds: FoundFilesInput['kinds']): number {
  return Object.values(kinds).reduce((sum, count) => sum + count, 0);
}

function matching({ kind, kinds }: Pick<FoundFilesInput, 'kind' | 'kinds'>): number {
  return kind === null ? sumOf(kinds) : (kinds[kind] ?? 0);
}

function whyEmpty(input: FoundFilesInput): Line {
  const { words, kind, total, folders, missed } = input;
  if (matching(input) > 0) return ['This page is empty now.'];
  if (folders === 0) return ['None of your channels’ folders can be searched now.'];
  if (kind !== null) return ['None of these files is of that type.'];
  const among = `${counted(total, 'file')} in ${counted(folders, 'folder')}`;
  if (words === '')
    return [
      missed.later > 0 ? 'No files so far.' : 'There are no files in your channels’ folders yet.',
    ];
  if (missed.later > 0) return line`No matches for ${{ typed: words }} so far, among ${among}.`;
  return line`No matches for ${{ typed: words }} among ${among}. Try part of a word.`;
}

function summary(input: FoundFilesInput): string {
  const found = counted(matching(input), 'file');
  return joined([`${found} in your channels`, shownPage(input)]);
}

/** Says which folders were not searched, or not to the end: a sentence for each cause. */
function missing({ later, shut, beyond }: MissedFolders): string[] {
  return [
    later > 0 &&
      `${counted(later, 'folder')} couldn’t be searched to the end. Try again in a minute.`,
    shut > 0 && `${counted(shut, 'folder')} ${agreeing(shut).are} gone or closed to me.`,
    beyond > 0 &&
      `I searched ${MAX_SEARCHED} folders; ${shownNumber(beyond)} ${agreeing(beyond).are} left. Type /files <words> in their channels.`,
  ].filter((part) => part !== false);
}

const KIND_NAMES: Record<FileKind, string> = {
  ...{ image: 'Images', document: 'Documents', spreadsheet: 'Spreadsheets' },
  ...{ presentation: 'Presentations', video: 'Videos', audio: 'Audio', archive: 'Archives' },
  other: 'Other files',
};

function turning(input: FoundFilesInput): Block[] {
  const { words, kind } = input;
  const claimFor = (page: number) => ({ words, kind, page });
  const buttons = { noun: 'file', actions: FOUND_PAGES, claimFor };
  return pager(input, buttons, kindMenu(input));
}

function kindMenu({ kind, kinds }: FoundFilesInput) {
  const there = FILE_KINDS.filter((one) => one === kind || (kinds[one] ?? 0) > 0);
  if (there.length < 2 && kind === null) return null;
  return menu(FOUND_KIND, { spoken: 'Type', items: [null, ...there], chosen: kind }, (k) => {
    const name = k === null ? 'All types' : KIND_NAMES[k];
    const count = shownNumber(matching({ kind: k, kinds }));
    return option(`${name} (${count})`, JSON.stringify({ k, page: 1 }));
  });
}
