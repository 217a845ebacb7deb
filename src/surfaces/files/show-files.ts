import {
  type ChannelDestination,
  type ChannelRef,
  type Destination,
  decodeHtml,
  type FolderRecord,
  isStillFiledAs,
  may,
  ownerOf,
  sameName,
} from '../../core/index.ts';
import { type FolderReading, filesAgeMs, isDown, unlessCode } from '../../service/index.ts';
import { type Asked, type Handler, readerOf, type StagedView } from '../kit/answer.ts';
import { pageAt, pageOf, type View } from '../kit/layout.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { noDestinationHint, pausedHere } from '../link/link-messages.ts';
import { FILES_PER_PAGE, fileList } from './file-list.ts';
import type { ListedFile } from './listed-file.ts';
import { filterByName, searchFolder } from './search-folder.ts';

interface FilesPage {
  /** From 1. */
  page: number;
  filter: string | null;
  /** The command that the filter may have been meant as. Default: none. */
  nearest?: string | undefined;
  /** The outcome of the last action, shown above the list. Default: none. */
  notice?: View;
  /** What to do with the files, shown above them if there are any. Default: none. */
  hint?: View;
  /** Whether that action has just shown that the folder exists. Default: false, it is checked. */
  isThere?: boolean;
}

interface Request extends FilesPage {
  asked: Asked;
  destination: ChannelDestination;
}

/**
 * Shows a page of the files that a channel may see in its folder, newest first. For a large folder
 * it shows what is certain at once; `rest` resolves with the page once the whole folder is read.
 */
export const showFiles: Handler<FilesPage, StagedView> = async (asked, page, context) => {
  const destination = await context.findDestination(asked);
  if (!destination) {
    const { nearest } = page;
    const isIn = await context.workspace.isIn(asked.channel);
    return noDestinationHint({ ...readerOf(asked), isIn, nearest });
  }
  const request = { ...page, asked, destination };
  const { heldFor: reason } = destination;
  if (!reason) return showFolder(request, context);
  // The folder can often still be listed while filing into it is paused.
  const folder = await context.names.nameFolder(destination);
  const paused = pausedHere({ ...readerOf(asked), reason, folder });
  const shown = showFolder({ ...request, notice: page.notice ?? paused }, context);
  return (await unlessCode(shown, NO_FOLDER)) ?? paused;
};

/** The errors of a folder that is gone or closed to us. */
export const NO_FOLDER = ['SERVICE_NOT_FOUND', 'SERVICE_FORBIDDEN'] as const;

async function showFolder(request: Request, context: SurfaceContext): Promise<StagedView> {
  const { asked, destination, isThere } = request;
  const askedAt = context.clock.now();
  const show = async (reading: FolderReading, more: Partial<ShownList> = {}) =>
    showList({ ...request, reading, askedAt, newest: null, ...more }, context);
  const call = { ...asked.call, isThere, maxAgeMs: filesAgeMs(context) };
  const glimpse = context.folders.glimpse(destination, call);
  const glimpsed = await orLastReading(glimpse, destination, context);
  if ('last' in glimpsed) return show(glimpsed.last, { isDown: true });
  const { reading, newest, readRest } = glimpsed;
  if (!readRest) return show(reading);
  const view = await show(reading, { newest });
  const rest = async () => {
    const whole = await orLastReading(readRest(), destination, context);
    return 'last' in whole ? show(whole.last, { isDown: true }) : show(whole);
  };
  return { ...view, rest };
}

/** Resolves with what was read; while the service is down, with the last reading, if there is one. */
export async function orLastReading<T extends object>(
  read: Promise<T>,
  destination: Destination,
  { folders }: SurfaceContext,
): Promise<T | { last: FolderReading }> {
  try {
    return await read;
  } catch (error) {
    const last = isDown(error) ? await folders.last(destination) : null;
    if (!last) throw error;
    return { last };
  }
}

interface ViewedFolder extends ChannelDestination {
  /** The channels whose folder this is. Default: the one that is asked in. */
  channels?: readonly string[];
}

type IsInView = (record: Pick<FolderRecord, 'id' | 'name' | 'byteSize'>) => boolean;

/**
 * Resolves with a test of which records the channels may see, name, count and delete. In a linked
 * folder: all. In the default folder, which also gets the files of private channels and direct
 * messages: only those that were shared in these channels, and still are what was filed.
 */
export async function recordsInView(
  channel: ChannelRef,
  folder: ViewedFolder,
  context: SurfaceContext,
): Promise<IsInView> {
  return (await viewOf(channel, folder, context)).isInView;
}

/** `numbers`: of the records that were shared in the channels, of the default folder. */
async function viewOf(
  { team, channel }: ChannelRef,
  folder: ViewedFolder,
  { ledger }: SurfaceContext,
): Promise<{ isInView: IsInView; numbers: number[] }> {
  if (!folder.isDefault) return { isInView: () => true, numbers: [] };
  const { channels = [channel] } = folder;
  const own = await ledger.recordsOfChannels({ team, channels }, folder);
  const isInView: IsInView = (record) => {
    const filed = own.get(record.id);
    return filed !== undefined && isStillFiledAs(filed, record);
  };
  return { isInView, numbers: [...own.keys()] };
}

interface ShownList extends Request {
  reading: FolderReading;
  askedAt: number;
  /** The newest files, while the rest is being read; null once all are known. */
  newest: readonly FolderRecord[] | null;
  /** Whether the service is down. Default: false. */
  isDown?: boolean;
}

async function showList(list: ShownList, context: SurfaceContext): Promise<View> {
  const { asked, destination, askedAt, reading, newest, ...request } = list;
  const isComing = newest !== null;
  const { total, matching, ...page } = await pageOfFiles(list, context);
  // While the list is being read, never show another page in place of one not reached yet.
  const items = isComing && page.page !== request.page ? [] : page.items;
  const { complete, unreadable, fetchedAt } = reading;
  const isCertain = !isComing && complete && unreadable === 0 && fetchedAt >= askedAt;
  if (isCertain && request.filter === null) {
    const least = page.page < page.pages ? Math.min(...items.map(({ id }) => id)) : 0;
    await settleDeletes(destination, { reading, least }, context);
  }
  const isEmpty = total === 0 && !isComing;
  const isPaused = Boolean(destination.heldFor);
  const [folder, files, isIn, inHand] = await Promise.all([
    context.names.nameFolder(destination),
    describeFiles(items, { asked, destination }, context),
    // Only an empty list says that shared files will be filed, which needs the bot in the channel.
    !isEmpty || context.workspace.isIn(asked.channel),
    // Those of a paused link wait, as the notice says.
    matching > 0 || isPaused ? 0 : context.ledger.countWaiting(asked, destination),
  ]);
  return fileList({
    folder,
    files,
    ...readerOf(asked),
    ...{ isIn, inHand, isPaused },
    onlyShared: destination.isDefault,
    total,
    matching,
    page: page.page,
    pages: page.pages,
    filter: request.filter,
    nearest: request.nearest,
    copyAgeMs: fetchedAt < askedAt ? context.clock.now() - fetchedAt : null,
    why: list.isDown ? 'down' : context.isBusy() ? 'busy' : null,
    // In the default folder nobody knows which channel an unreadable record belongs to.
    unreadable: destination.isDefault ? 0 : unreadable,
    missing: isComing ? 'coming' : complete ? 'nothing' : 'unknown',
    notice: request.notice ?? (files.length > 0 ? request.hint : null) ?? null,
    now: context.clock.now(),
  });
}

async function pageOfFiles(list: ShownList, context: SurfaceContext) {
  const { asked, destination, reading, newest, filter } = list;
  const { folder } = reading;
  if (newest === null && !destination.isDefault && filter === null) {
    const total = await context.ledger.countRecords(folder);
    const at = pageAt(total, FILES_PER_PAGE, list.page);
    const shown = { limit: FILES_PER_PAGE, offset: (at.page - 1) * FILES_PER_PAGE };
    const items = await context.ledger.newestRecords(folder, shown);
    return { ...at, total, matching: total, items };
  }
  const viewed = { folder, destination, filter, newest };
  const { total, matching } = await filesInView(asked, viewed, context);
  const shown = pageOf(matching.toSorted(newestFirst), FILES_PER_PAGE, list.page);
  return { ...shown, total, matching: matching.length };
}

interface ViewedFiles {
  /** Of the mirror; it was read. */
  folder: number;
  destination: ViewedFolder;
  filter: string | null;
  /** Only these of its files; null for all. */
  newest: readonly FolderRecord[] | null;
}

interface FilesInView {
  /** How many files the channels may see. */
  total: number;
  /** Those of them that match. */
  matching: FolderRecord[];
}

/** Resolves with the files of a folder that channels may see, and that match. */
export const filesInView: Handler<ViewedFiles, FilesInView> = async (asked, viewed, context) => {
  const { folder, destination, filter, newest } = viewed;
  const { ledger } = context;
  if (newest === null && !destination.isDefault)
    return {
      total: await ledger.countRecords(folder),
      matching: await searchFolder(folder, filter ?? '', context),
    };
  const { isInView, numbers } = await viewOf(asked, destination, context);
  const files = newest ?? [...(await ledger.recordsNumbered(folder, numbers)).values()];
  const own = files.filter(isInView);
  return { total: own.length, matching: await filterByName(own, filter) };
};

/** The longest from when a Delete began, or had no answer, until its request has arrived, in milliseconds. */
const LATEST_DELETE_MS = 60_000;

// Settles Deletes whose outcome was never recorded: the process died, or got no answer. What is gone is
// marked as deleted; what is there long after was not, and may be deleted by somebody else one day.
// Those before the shown page wait until theirs is shown: a large folder has very many.
async function settleDeletes(
  destination: Destination,
  { reading: { folder, fetchedAt }, least }: { reading: FolderReading; least: number },
  { ledger, clock, wakeNotifier }: SurfaceContext,
): Promise<void> {
  const begun = await ledger.begunDeletes(destination, least);
  const numbers = begun.flatMap(({ recordId }) => recordId ?? []);
  const there = numbers.length > 0 ? await ledger.recordsNumbered(folder, numbers) : new Map();
  const gone = begun.filter(({ recordId }) => recordId !== null && !there.has(recordId));
  const now = clock.now();
  for (const { id, deletedBy } of gone) await ledger.markDeleted(id, { deletedBy, now });
  if (gone.length > 0) wakeNotifier();
  for (const { id, recordId, deletedAt } of begun)
    if (there.has(recordId) && fetchedAt - (deletedAt ?? 0) > LATEST_DELETE_MS)
      await ledger.beginDelete(id, { deletedBy: null, now });
}

/**
 * Returns a record's name as lists show it: without HTML escapes if the ledger says that the decoded
 * name was given to the file.
 */
export function shownAs(name: string, filedAs: string | undefined): string {
  if (filedAs === undefined || filedAs === name) return name;
  return sameName(decodeHtml(name), filedAs) ? filedAs : name;
}

export function newestFirst(a: FolderRecord, b: FolderRecord): number {
  return (b.createdAt ?? 0) - (a.createdAt ?? 0) || b.id - a.id;
}

interface DescribedFor {
  asked: Asked;
  destination: Destination;
  isIn?: (channel: string) => boolean;
}

/**
 * Adds to a folder's files what the ledger and the service know of them. `isIn` tests for channels
 * that the reader is in, besides the one that they ask in.
 */
export async function describeFiles(
  files: readonly FolderRecord[],
  { asked, destination, isIn }: DescribedFor,
  { ledger, names, workspace }: SurfaceContext,
): Promise<ListedFile[]> {
  const filed = await ledger.filedRecords(destination, files);
  return Promise.all(
    files.map(async (file) => {
      const known = filed.get(file.id);
      // Who shared it is shown in place of its creator, whom the account names only by a request.
      const byOther = known?.userId ? null : file.creatorId;
      // Only people in a channel may follow a link to a message there.
      const isOpen = known && (known.channel === asked.channel || isIn?.(known.channel));
      return {
        ...file,
        name: shownAs(file.name, known?.name),
        sizeBytes: file.byteSize,
        sharedBy: known?.userId ?? null,
        messageUrl: isOpen ? workspace.addressOf(known) : null,
        mayDelete: may(asked, 'delete-file', ownerOf(known)),
        creatorName: byOther === null ? null : await names.personName(byOther),
      };
    }),
  );
}
