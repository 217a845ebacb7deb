import type { FolderRef } from '../../core/index.ts';
import { folderAddress } from '../kit/folder-address.ts';
import {
  type Block,
  button,
  type choicesBeside,
  type Detail,
  detailsBeside,
  heading,
  pager,
  shownPage,
  smallPrint,
  type View,
  viewOf,
} from '../kit/layout.ts';
import { didYouMean, type Line, line, placeWord, prose } from '../kit/prose.ts';
import { service } from '../kit/service-name.ts';
import {
  agreeing,
  counted,
  isUserId,
  joined,
  shownAge,
  shownFolder,
  shownName,
  shownNumber,
  shownSize,
  shownSpan,
  shownText,
} from '../kit/text.ts';
import { whyBotIsAbsent } from '../link/link-messages.ts';
import { FILES_PAGES, SHOW_ALL_FILES } from './actions.ts';
import { fileMenu } from './file-menu.ts';
import type { ListedFile } from './listed-file.ts';

/** So few that a page is in sight at once. */
export const FILES_PER_PAGE = 5;

/** Why a list is a copy. */
type CopyReason = 'busy' | 'down';

export interface FileListInput {
  folder: FolderRef;
  /** The files of this page, newest first; at most FILES_PER_PAGE. */
  files: readonly ListedFile[];
  /** Whether only files shared in this channel are listed, rather than its whole folder. */
  onlyShared: boolean;
  /** Files that the reader may see in the folder. */
  total: number;
  /** Files that match the filter. */
  matching: number;
  /** From 1. */
  page: number;
  pages: number;
  /** Only files with these words in their names are listed; null: all. */
  filter: string | null;
  /** The command that the filter may have been meant as: asked if nothing matches. Default: none. */
  nearest?: string | undefined;
  /** Files shared there that are on their way to the folder: said if nothing matches. Default: 0. */
  inHand?: number;
  /** The age of the cached copy behind the list, milliseconds; null for a fresh list. */
  copyAgeMs: number | null;
  /** What state of the service explains that copy. Default: null, none. */
  why?: CopyReason | null;
  /** How many of the folder's records could not be read. */
  unreadable: number;
  /**
   * What `total` and `matching` leave out. `coming`: `files` are the newest; the others are being
   * read, and the next list has all. `unknown`: the folder may hold more than could be read.
   */
  missing: 'nothing' | 'coming' | 'unknown';
  /** Whether it is in a direct message rather than a channel. */
  isDirect: boolean;
  /** Whether the bot is in the conversation and sees files shared there. */
  isIn: boolean;
  /** Whether files shared there wait, because the link is paused. Default: false. */
  isPaused?: boolean;
  /** What has just happened, on top of the list: `fileDeleted`, `deleteGone` and the like. */
  notice: View | null;
  /** Epoch milliseconds. */
  now: number;
}

/** The response to `/files`: a page of the files of a channel's folder. */
export function fileList(input: FileListInput): View {
  const { files, folder, page, filter, now } = input;
  const menuOf = (file: ListedFile) => fileMenu(file, { ...folder, page, filter });
  const entries = fileEntries(files, { menuOf, now });
  const list = viewOf([
    ...(input.notice?.blocks ?? []),
    heading(shownFolder(folder)),
    openLine(folder),
    provisos(input),
    ...(entries.length === 0 ? [whyEmpty(input)] : [smallPrint(summary(input)), ...entries]),
  ]);
  return { ...list, blocks: [...list.blocks, ...pagerOf(input)] };
}

// Slack makes no links in a title.
function openLine(folder: FolderRef): Block | null {
  const url = folderAddress(folder);
  return url === null ? null : prose([{ file: `Open this folder in ${service()}`, url }]);
}

function whyEmpty(input: FileListInput): Block {
  const { missing, nearest, inHand = 0 } = input;
  const why = missing === 'coming' ? whyEmptySoFar(input) : whyEmptyAtAll(input);
  const { are, their } = agreeing(inHand);
  const more = `${counted(inHand, 'file')} shared here ${are} on ${their} way.`;
  return prose(why, inHand > 0 ? [more] : null, nearest ? didYouMean(nearest) : null);
}

function whyEmptySoFar({ total, filter: typed }: FileListInput): Line {
  if (typed === null || total === 0) return ['This folder has many files. Reading them now…'];
  return line`No matches for ${{ typed }} among the newest ${counted(total, 'file')}. Searching the rest…`;
}

function whyEmptyAtAll(input: FileListInput): Line {
  const { total, matching, filter: typed, unreadable } = input;
  if (matching > 0) return ['This page is empty now.'];
  if (typed !== null && total > 0)
    return line`No matches for ${{ typed }} among ${counted(total, 'file')}.`;
  if (unreadable > 0) return ['There are files here, but I couldn’t read their details.'];
  if (input.isPaused) return ['Nothing here yet.'];
  if (!input.isIn) return line`Nothing here yet. ${whyBotIsAbsent(input)}`;
  return [`Nothing here yet. Share a file in this ${placeWord(input)} and it’ll be filed here.`];
}

function summary(input: FileListInput): string {
  const { onlyShared, missing } = input;
  return joined([
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
  const found = `${shownNumber(matching)} of ${all} with “${shownText(filter)}” in the name`;
  return isComing ? `${found}; searching the rest…` : found;
}

function provisos(input: FileListInput): Block | null {
  const { copyAgeMs, why = null, unreadable, missing } = input;
  const parts = [
    copyAgeMs === null ? null : asOf(copyAgeMs, why),
    missing === 'unknown' ? 'This folder may hold more files than I could read.' : null,
    unreadable === 0 ? null : `I couldn’t read the details of ${counted(unreadable, 'file')}.`,
  ];
  const said = joined(parts, ' ');
  return said === '' ? null : smallPrint(said);
}

/** Says how old what is shown is, in milliseconds, and why. */
export function asOf(ageMs: number, why: CopyReason | null): string {
  return `As of ${shownSpan(ageMs)} ago${why === null ? '' : `: ${service()} is ${why}`}.`;
}

// How many pages there are is unknown until the whole list is read.
function pagerOf(input: FileListInput) {
  if (input.missing === 'coming') return [];
  const { filter } = input;
  const claim = { page: 1, filter: null };
  const spoken = 'Show all files';
  const all = button({ action: SHOW_ALL_FILES, label: 'Show all', spoken, claim });
  const claimFor = (page: number) => ({ page, filter });
  const buttons = { noun: 'file', actions: FILES_PAGES, claimFor };
  return pager(input, buttons, filter === null ? null : all);
}

interface EntriesInput<T> {
  /** The menu beside a file's details. */
  menuOf(file: T): ReturnType<typeof choicesBeside>;
  /** Epoch milliseconds. */
  now: number;
}

/** The first FILES_PER_PAGE files, each with its name, its details and its menu. */
export function fileEntries<T extends ListedFile>(
  all: readonly T[],
  { menuOf, now }: EntriesInput<T>,
): Block[] {
  const files = all.slice(0, FILES_PER_PAGE);
  const alike = namesOfSeveral(files);
  return files.flatMap((file) => [
    prose(linkedName(file)),
    detailsBeside(details(file, { isAlike: alike.has(file.name), now }), menuOf(file)),
  ]);
}

function linkedName({ name: file, url, folder }: ListedFile): Line {
  return line`${{ file, url }}${folder ? line` in ${{ folder }}` : ''}`;
}

// Names that files created in different minutes share: they are shown with the exact time.
function namesOfSeveral(files: readonly ListedFile[]): Set<string> {
  const counts = Map.groupBy(files, ({ name }) => name);
  return new Set(
    [...counts].filter(([, same]) => new Set(same.map(minuteOf)).size > 1).map(([name]) => name),
  );
}

function minuteOf({ createdAt }: ListedFile): number | null {
  return createdAt === null ? null : Math.floor(createdAt / 60_000);
}

function details(file: ListedFile, { isAlike, now }: { isAlike: boolean; now: number }): Detail[] {
  const { sizeBytes, createdAt } = file;
  const known = [
    shownType(file),
    sizeBytes === null ? null : shownSize(sizeBytes),
    createdAt === null ? null : isAlike ? { time: createdAt } : shownAge(createdAt, now),
    whose(file),
  ];
  return known.filter((part) => part !== null);
}

function whose({ sharedBy, creatorName }: ListedFile): Detail | null {
  if (isUserId(sharedBy)) return { person: sharedBy };
  return creatorName === null ? null : shownName(creatorName, { unnamed: 'somebody' });
}

// A file's extension already shows its type, and a media type says nothing to most people.
function shownType({ name, fileType }: ListedFile): string | null {
  const isShown = fileType !== null && /^[\p{L}\p{N} .-]+$/u.test(fileType) && !/\.\w+$/.test(name);
  return isShown ? shownName(fileType, { max: 20 }) : null;
}
