import { FILE_KINDS, type FileKind, type FolderRef } from '../transfers/index.ts';
import { ACTIONS, type FoundPageClaim, PAGE_ACTIONS } from './actions.ts';
import { fileEntries, type ListedFile } from './file-list.ts';
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
} from './layout.ts';
import { type Line, line, prose, say } from './prose.ts';
import { agreeing, counted, joined, shownNumber, shownText } from './text.ts';

interface FoundFile extends ListedFile {
  folder: FolderRef;
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
  const { words, kinds } = input;
  const entries = fileEntries(input.files, { ...input, list: null });
  const notSearched = missing(input.missed);
  return viewOf([
    heading(words === '' ? 'Files in your channels' : `Files with “${shownText(words)}”`),
    ...(entries.length === 0
      ? [prose(whyEmpty(input), ...notSearched.map((part) => [part]))]
      : [smallPrint(summary(input)), ...entries]),
    entries.length === 0 || notSearched.length === 0 ? null : smallPrint(notSearched.join(' ')),
    ...(sumOf(kinds) === 0 ? [] : turning(input)),
  ]);
}

/** The private response to `/files find` when none of the reader's channels has a folder. */
export const NOWHERE_TO_FIND = say(
  line`There’s nowhere to search yet: none of the channels you’re in is linked to a folder.`,
  line`To see how a channel gets one, type ${{ command: '/files help' }}.`,
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
  if (folders === 0) return ['None of your channels’ folders can be searched.'];
  if (kind !== null) return ['None of these files is of that type.'];
  const among = `${counted(total, 'file')} in ${counted(folders, 'folder')}`;
  if (words === '')
    return [
      missed.later > 0 ? 'No files so far.' : 'There are no files in your channels’ folders yet.',
    ];
  if (missed.later > 0) return line`No matches for ${{ typed: words }} so far, among ${among}.`;
  return line`No matches for ${{ typed: words }} among ${among}. Try fewer words, or part of one.`;
}

function summary(input: FoundFilesInput): string {
  const found = counted(matching(input), 'file');
  return joined([`${found} in the folders of your channels, newest first`, shownPage(input)]);
}

/** Says which folders were not searched, or not to the end: a sentence for each cause. */
function missing({ later, shut, beyond }: MissedFolders): string[] {
  return [
    later > 0 &&
      `${counted(later, 'folder')} couldn’t be searched, or not to the end. Try again in a minute.`,
    shut > 0 &&
      `${counted(shut, 'folder')} can’t be searched: ${agreeing(shut).theyAre} gone, or the file service doesn’t let me in.`,
    beyond > 0 &&
      `I left out ${counted(beyond, 'folder')}: I search up to ${MAX_SEARCHED} folders at once. In a channel, /files <words> searches its own folder.`,
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
  const buttons = { actions: PAGE_ACTIONS.found, claimFor };
  return pager(input, buttons, kindMenu(input));
}

function kindMenu({ kind, kinds }: FoundFilesInput) {
  const there = FILE_KINDS.filter((one) => one === kind || (kinds[one] ?? 0) > 0);
  if (there.length < 2 && kind === null) return null;
  return menu(ACTIONS.foundKind, { spoken: 'Type', items: [null, ...there], chosen: kind }, (k) => {
    const name = k === null ? 'All types' : KIND_NAMES[k];
    const count = shownNumber(matching({ kind: k, kinds }));
    return option(`${name} (${count})`, JSON.stringify({ k, page: 1 }));
  });
}
