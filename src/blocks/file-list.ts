import type { types } from '@slack/bolt';
import type { FolderRef } from '../transfers/index.ts';
import { ACTIONS, PAGE_ACTIONS } from './actions.ts';
import {
  type Block,
  button,
  buttonRow,
  type Detail,
  detailsLine,
  entry,
  heading,
  pager,
  shownPage,
  smallPrint,
  type View,
  viewOf,
} from './layout.ts';
import { whyBotIsAbsent } from './link-messages.ts';
import { didYouMean, type Line, line, placeWord, prose } from './prose.ts';
import {
  agreeing,
  counted,
  isPlainInMrkdwn,
  isUserId,
  joined,
  linkAddress,
  shownAge,
  shownFolder,
  shownName,
  shownNumber,
  shownSize,
  shownSpan,
  shownText,
} from './text.ts';

/** Files per page: up to three blocks each, and Slack allows 50 in a message. */
export const FILES_PER_PAGE = 10;

/** The most files of a list whose beginning is in sight from its end. */
const MAX_IN_SIGHT = 4;

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
  /**
   * What has just happened, on top of the list: `fileDeleted`, `deleteGone` and the like. A long
   * list repeats it at its end, as Slack does not scroll when a button changes a message.
   */
  notice: View | null;
  /** Epoch milliseconds. */
  now: number;
}

/** The response to `/files`: a page of the files of a channel's folder. */
export function fileList(input: FileListInput): View {
  const notice = input.notice?.blocks ?? [];
  const entries = fileEntries(input.files, { ...input, list: input });
  const isLong = input.files.length > MAX_IN_SIGHT;
  const list = viewOf([
    ...notice,
    heading(shownFolder(input.folder)),
    ...(entries.length === 0 ? [whyEmpty(input)] : [smallPrint(summary(input)), ...entries]),
    provisos(input),
  ]);
  const repeated = isLong && !input.isPaused ? notice : [];
  return { ...list, blocks: [...list.blocks, ...repeated, ...pagerOf(input)] };
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

function provisos({ copyAgeMs, unreadable, missing }: FileListInput): Block | null {
  const parts = [
    missing === 'unknown' ? 'This folder may hold more files than I could read.' : null,
    copyAgeMs === null ? null : `As of ${shownSpan(copyAgeMs)} ago; the file service is busy.`,
    unreadable === 0 ? null : `I couldn’t read the details of ${counted(unreadable, 'file')}.`,
  ];
  const said = joined(parts, ' ');
  return said === '' ? null : smallPrint(said);
}

// How many pages there are is unknown until the whole list is read.
function pagerOf(input: FileListInput) {
  if (input.missing === 'coming') return [];
  const { filter } = input;
  const claim = { page: 1, filter: null };
  const all = button({ action: ACTIONS.filesShowAll, label: 'Show all', claim });
  const buttons = { actions: PAGE_ACTIONS.files, claimFor: (page: number) => ({ page, filter }) };
  return pager(input, buttons, filter === null ? null : all);
}

/** A file of a folder, as the list shows it. */
export interface ListedFile {
  /** The service's number of the file. */
  id: number;
  name: string;
  /** Bytes; null when the service did not say. */
  sizeBytes: number | null;
  /** Epoch milliseconds; null when the service did not say. */
  createdAt: number | null;
  /** Slack ID of the person who shared it; null when Pigeonhole did not file it. */
  sharedBy: string | null;
  /** Who created the record in the service; null when unknown, or when `sharedBy` is shown. */
  creatorName: string | null;
  /** Whether the reader may delete it: shows the button for it. */
  mayDelete: boolean;
  approvedCount: number;
  proofCount: number;
  /** File type by extension; null when the service did not say. */
  fileType: string | null;
  /** Where to open it, https; null when the service did not say. */
  url: string | null;
  /** Where to open the message that shared it; null when the reader may not see that. */
  messageUrl: string | null;
  /** Its folder, named beside it. Default: that of the list. */
  folder?: FolderRef;
}

interface EntriesInput {
  /** The list that a Delete shows again; null: no file has that button. */
  list: Pick<FileListInput, 'folder' | 'page' | 'filter'> | null;
  /** Epoch milliseconds. */
  now: number;
}

/** The first FILES_PER_PAGE files, each with its details and, if the reader may, with Delete. */
export function fileEntries(all: readonly ListedFile[], { list, now }: EntriesInput): Block[] {
  const files = all.slice(0, FILES_PER_PAGE);
  const alike = namesOfSeveral(files);
  return files.flatMap((file) => {
    const erase = file.mayDelete && list ? deleteButton(file, list) : null;
    const beside = erase && nameBeside(file, erase);
    const known = details(file, { isAlike: alike.has(file.name), now });
    return [
      beside ?? prose([{ file: file.name, url: file.url }]),
      ...(known.length > 0 ? [detailsLine(known)] : []),
      ...buttonRow([beside ? null : erase]),
    ];
  });
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

// Text with a button beside it takes links only in mrkdwn, which would format some names.
function nameBeside({ name, url }: ListedFile, erase: types.Button): Block | null {
  const shown = shownName(name);
  const address = url === null ? null : linkAddress(url);
  return address === null || isPlainInMrkdwn(shown) ? entry(shown, erase, address) : null;
}

function details(file: ListedFile, { isAlike, now }: { isAlike: boolean; now: number }): Detail[] {
  const { sizeBytes, createdAt, approvedCount, proofCount, folder, messageUrl } = file;
  const message = messageUrl === null ? null : linkAddress(messageUrl);
  const known = [
    shownType(file),
    sizeBytes === null ? null : shownSize(sizeBytes),
    createdAt === null ? null : isAlike ? { time: createdAt } : shownAge(createdAt, now),
    whose(file),
    approvedCount > 0 ? counted(approvedCount, 'approval') : null,
    proofCount > 0 ? counted(proofCount, 'proof') : null,
    folder ? `in ${shownFolder(folder)}` : null,
    message === null ? null : { message },
  ];
  return known.filter((part) => part !== null);
}

function whose({ sharedBy, creatorName }: ListedFile): Detail | null {
  if (isUserId(sharedBy)) return { person: sharedBy };
  return creatorName === null ? null : shownName(creatorName, { unnamed: 'somebody' });
}

// A file's extension already shows its type, and a media type says nothing to most people.
function shownType({ name, fileType }: ListedFile): string | null {
  const isShown = fileType !== null && !fileType.includes('/') && !/\.\w+$/.test(name);
  return isShown ? shownName(fileType, { max: 20 }) : null;
}

/** The most of a name in a button, in UTF-16 units: JSON may write each with six characters. */
const MAX_CLAIMED = 80;

/** Returns what a Delete button carries of a file's name, to know the file again at the press. */
export function claimedName({ name }: { name: string }): string {
  return name.slice(0, MAX_CLAIMED);
}

function deleteButton(
  file: ListedFile,
  { folder, page, filter }: NonNullable<EntriesInput['list']>,
): types.Button {
  const name = shownName(file.name, { max: 50 });
  const { sizeBytes: size } = file;
  return button({
    action: ACTIONS.deleteFile,
    label: 'Delete',
    claim: { ...folder, page, filter, fileId: file.id, name: claimedName(file), size },
    spoken: `Delete ${name}`,
    confirm: {
      title: 'Delete this file?',
      text: `${name} will be deleted from ${shownFolder(folder, 40)} for everyone. If it’s also in Slack, that copy stays.`,
      confirm: 'Delete file',
      deny: 'Keep it',
    },
  });
}
