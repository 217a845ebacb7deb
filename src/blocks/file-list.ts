import { ACTIONS, filesPageValue } from './actions.ts';
import { fileEntry, type ListedFile } from './file-entry.ts';
import { counted, dotted, shownNumber, shownSpan } from './format.ts';
import { type Block, button, heading, smallPrint } from './layout.ts';
import { pager, shownPage } from './paging.ts';
import {
  type FolderRef,
  fallbackText,
  type Line,
  line,
  prose,
  shownFolder,
  type View,
} from './prose.ts';
import { cleanText, cut, shownName } from './text.ts';

/** Files to a page: two blocks each, and Slack takes fifty to a message. */
export const FILES_PER_PAGE = 10;

const MOST_NOTICE_BLOCKS = 4;

export interface FileListInput {
  folder: FolderRef;
  projectTitle: string | null;
  /** The files of this page, newest first; at most FILES_PER_PAGE. */
  files: readonly ListedFile[];
  /** Whether only what was shared in this channel is listed, rather than all of its folder. */
  onlyShared: boolean;
  /** Files that the reader may see in the folder. */
  total: number;
  /** Files that the filter lets through. */
  matching: number;
  /** From 1. */
  page: number;
  pages: number;
  /** Only names with this text are listed; null for all. */
  filter: string | null;
  /** The age of the copy that the list was made from, milliseconds; null when it is fresh. */
  copyAgeMs: number | null;
  /** Records of the folder that are too odd to show. */
  unreadable: number;
  /**
   * What `total` and `matching` leave out. `coming`: `files` are the newest, more are being read, and
   * the list that follows has them all. `unknown`: nobody knows whether these are all.
   */
  missing: 'nothing' | 'coming' | 'unknown';
  /** What has just happened, on top of the list: `fileDeleted`, `deleteGone` and the like. */
  notice: View | null;
  /** Epoch milliseconds. */
  now: number;
}

/** The answer to `/files`: a page of the files of a channel's folder. */
export function fileList(input: FileListInput): View {
  const summary = summaryOf(input);
  const notice = input.notice?.blocks.slice(0, MOST_NOTICE_BLOCKS) ?? [];
  const files = input.files.slice(0, FILES_PER_PAGE);
  const entries = files.flatMap((file) => fileEntry(file, input));
  return {
    text: [input.notice?.text, fallbackText(summary)].filter(Boolean).join(' '),
    blocks: [
      ...notice,
      heading(shownFolder(input.folder)),
      ...(entries.length === 0 ? [prose(summary)] : [smallPrint(standing(input)), ...entries]),
      ...provisos(input),
      ...pagerOf(input),
    ],
  };
}

function summaryOf(input: FileListInput): Line {
  return input.missing === 'coming' ? summaryToCome(input) : summaryOfAll(input);
}

function summaryToCome({ folder, files, total, filter: typed }: FileListInput): Line {
  if (files.length > 0) return line`The newest files in ${{ folder }}. The whole list follows.`;
  if (typed === null || total === 0) return ['This folder has many files. Reading them now…'];
  return line`No matches for ${{ typed }} among the newest ${counted(total, 'file')}. Searching the rest…`;
}

function summaryOfAll(input: FileListInput): Line {
  const { folder, files, total, matching, filter: typed, unreadable } = input;
  if (files.length > 0) return line`${counted(matching, 'file')} in ${{ folder }}.`;
  if (matching > 0) return ['This page is empty now.'];
  if (typed !== null && total > 0)
    return line`No matches for ${{ typed }} among ${counted(total, 'file')}.`;
  if (unreadable > 0) return ['There are files here, but I couldn’t read their details.'];
  return ['Nothing here yet. Share a file in this channel and it’ll be filed here.'];
}

function standing(input: FileListInput): string {
  const { projectTitle, onlyShared, missing } = input;
  return dotted([
    projectTitle === null ? null : shownName(projectTitle, { unnamed: 'unnamed project' }),
    shownCount(input),
    missing === 'coming' ? null : shownPage(input),
    onlyShared ? 'only files shared here' : null,
  ]);
}

function shownCount({ total, matching, filter, missing }: FileListInput): string {
  const isComing = missing === 'coming';
  if (filter === null)
    return isComing ? 'the newest files; counting the rest…' : counted(total, 'file');
  const all = isComing ? `the newest ${counted(total, 'file')}` : counted(total, 'file');
  const typed = cut(cleanText(filter), 60);
  const found = `${shownNumber(matching)} of ${all} with “${typed}” in the name`;
  return isComing ? `${found}; searching the rest…` : found;
}

function provisos({ copyAgeMs, unreadable, missing }: FileListInput): Block[] {
  const parts = [
    missing === 'unknown' ? 'This folder may hold more files than I could read.' : null,
    copyAgeMs === null ? null : `As of ${shownSpan(copyAgeMs)} ago; the file service is busy.`,
    unreadable === 0 ? null : `I couldn’t read the details of ${counted(unreadable, 'file')}.`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [smallPrint(parts.join(' '))];
}

// The pages come with the whole list: until then nobody knows how many there are.
function pagerOf(input: FileListInput) {
  if (input.missing === 'coming') return [];
  const { projectId, folderId } = input.folder;
  const valueFor = (page: number, filter = input.filter) =>
    filesPageValue.write({ projectId, folderId, page, filter });
  const all = { action: ACTIONS.filesShowAll, label: 'Show all', value: valueFor(1, null) };
  const buttons = {
    previous: { action: ACTIONS.filesPrevious, label: 'Newer' },
    next: { action: ACTIONS.filesNext, label: 'Older' },
    valueFor,
  };
  return pager(input, buttons, input.filter === null ? null : button(all));
}
