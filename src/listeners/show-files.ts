import { oncePer } from '../base/index.ts';
import type { ListedFile, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import {
  type CallOptions,
  type FileList,
  type FileRecord,
  filesAge,
  orOlderCopy,
  ServiceError,
  unlessCode,
} from '../service/index.ts';
import {
  type ChannelDestination,
  type Destination,
  decodeHtml,
  folderNumber,
  isStillFiledAs,
  may,
  nameMatcher,
  ownerOf,
  sameName,
  searchText,
} from '../transfers/index.ts';
import { type Asked, type Handler, readerOf, type StagedView } from './answer.ts';
import { inTurns } from './in-turns.ts';
import type { ListenerContext } from './listener-context.ts';

interface FilesPage {
  /** From 1. */
  page: number;
  filter: string | null;
  /** The command that the filter may have been meant as. Default: none. */
  nearest?: string | undefined;
  /** The outcome of the last action, shown above the list. Default: none. */
  notice?: View;
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
    return views.noDestinationHint({ ...readerOf(asked), isIn, nearest });
  }
  const request = { ...page, asked, destination };
  const { pausedFor: reason } = destination;
  if (!reason) return showFolder(request, context);
  // The folder can often still be listed while filing into it is paused.
  const folder = await context.names.nameFolder(destination);
  const paused = views.pausedHere({ ...readerOf(asked), reason, folder });
  const shown = showFolder({ ...request, notice: page.notice ?? paused }, context);
  return (await unlessCode(shown, SHUT)) ?? paused;
};

/** The errors of a folder that is gone or closed to us. */
export const SHUT = ['SERVICE_NOT_FOUND', 'SERVICE_FORBIDDEN'] as const;

async function showFolder(request: Request, context: ListenerContext): Promise<StagedView> {
  const { asked, destination } = request;
  const askedAt = context.clock.now();
  const { list, readRest } = await orOlderCopy(asked, filesAge(context), (call) =>
    context.service.glimpseFiles(destination, call),
  );
  const whole = { ...request, askedAt, isComing: false };
  if (!readRest) return showList(list, whole, context);
  const view = await showList(list, { ...whole, isComing: true }, context);
  return { ...view, rest: async () => showList(await readRest(), whole, context) };
}

interface ViewedFolder extends ChannelDestination {
  /** The channels whose folder this is. Default: the one that is asked in. */
  channels?: readonly string[];
}

type IsInView = (record: Pick<FileRecord, 'id' | 'name' | 'byteSize'>) => boolean;

/**
 * Resolves with a test of which records the channels may see, name, count and delete. In a linked
 * folder: all. In the default folder, which also gets the files of private channels and direct
 * messages: only those that were shared in these channels, and still are what was filed.
 */
export const recordsInView: Handler<ViewedFolder, IsInView> = async (asked, folder, context) => {
  if (!folder.isDefault) return () => true;
  const { team, channel } = asked;
  const { channels = [channel] } = folder;
  const own = await context.ledger.recordsOfChannels({ team, channels }, folder);
  return (record) => {
    const filed = own.get(record.id);
    return filed !== undefined && isStillFiledAs(filed, record);
  };
};

interface ShownList extends Request {
  askedAt: number;
  /** Whether more of the list is being read. */
  isComing: boolean;
}

async function showList(
  list: FileList,
  { asked, destination, askedAt, isComing, ...request }: ShownList,
  context: ListenerContext,
): Promise<View> {
  const isInView = await recordsInView(asked, destination, context);
  const own = list.files.filter(isInView);
  const matching = (await filterByName(own, request.filter)).sort(newestFirst);
  const page = views.pageOf(matching, views.FILES_PER_PAGE, request.page);
  // While the list is being read, never show another page in place of one not reached yet.
  const items = isComing && page.page !== request.page ? [] : page.items;
  const proving = items.length > 0 ? items : own;
  const isEmpty = own.length === 0 && !isComing;
  if (isEmpty ? !request.isThere : !isComing || items.length > 0)
    await ensureFolderExists(destination, { ...list, files: proving }, context);
  const isCertain = list.complete && list.unreadable === 0 && list.fetchedAt >= askedAt;
  if (isCertain && request.filter === null) {
    const least = page.page < page.pages ? Math.min(...items.map(({ id }) => id)) : 0;
    await settleDeletes(destination, { files: list.files, least }, context);
  }
  const isPaused = Boolean(destination.pausedFor);
  const [folder, files, isIn, inHand] = await Promise.all([
    context.names.nameFolder(destination),
    describeFiles(items, { asked, destination }, context),
    // Only an empty list says that shared files will be filed, which needs the bot in the channel.
    !isEmpty || context.workspace.isIn(asked.channel),
    // Those of a paused link wait, as the notice says.
    matching.length > 0 || isPaused ? 0 : context.ledger.countWaiting(asked, destination),
  ]);
  return views.fileList({
    folder,
    files,
    ...readerOf(asked),
    ...{ isIn, inHand, isPaused },
    onlyShared: destination.isDefault,
    total: own.length,
    matching: matching.length,
    page: page.page,
    pages: page.pages,
    filter: request.filter,
    nearest: request.nearest,
    copyAgeMs: list.fetchedAt < askedAt ? context.clock.now() - list.fetchedAt : null,
    // In the default folder nobody knows which channel an unreadable record belongs to.
    unreadable: destination.isDefault ? 0 : list.unreadable,
    missing: isComing ? 'coming' : list.complete ? 'nothing' : 'unknown',
    notice: request.notice ?? null,
    now: context.clock.now(),
  });
}

// Marks as deleted the records of Deletes whose outcome was never recorded: the process died, or got
// no answer. Those before the shown page wait until theirs is shown: a large folder has very many.
async function settleDeletes(
  destination: Destination,
  { files, least }: { files: readonly FileRecord[]; least: number },
  { ledger, clock, wakeNotifier }: ListenerContext,
): Promise<void> {
  const begun = await ledger.begunDeletes(destination, least);
  const gone = begun.filter(({ recordId }) => !files.some(({ id }) => id === recordId));
  const now = clock.now();
  for (const { id, deletedBy } of gone) await ledger.markDeleted(id, { deletedBy, now });
  if (gone.length > 0) wakeNotifier();
}

/**
 * How long an empty list waits for whether its folder, listed in the last minute, still exists, in
 * milliseconds: while many files are being filed, the rate window may be full.
 */
const CONFIRM_EMPTY_MS = 400;

/** The most files to look up at each end of a list: one that we filed proves the folder exists. */
const MAX_PROVING = 50;

/**
 * Rejects with SERVICE_NOT_FOUND if the account's list of folders lacks this one. For a missing
 * folder, some accounts return no files or those of all others (service interface, appendix 2, R5).
 * The folder exists if we filed one of the `files` there, or if the account lists it in a response
 * no older than `fetchedAt`.
 */
export async function ensureFolderExists(
  destination: Destination,
  { files, fetchedAt }: { files: readonly FileRecord[]; fetchedAt: number },
  { ledger, names, clock }: ListenerContext,
  call: CallOptions = { lane: 'interactive' },
): Promise<void> {
  // The service may list newest first or last; the newest are at one of the ends.
  const ends = [...files.slice(0, MAX_PROVING), ...files.slice(-MAX_PROVING)];
  if ((await ledger.filedRecords(destination, ends)).size > 0) return;
  const maxAgeMs = Math.max(0, clock.now() - fetchedAt);
  const confirmMs = files.length === 0 ? CONFIRM_EMPTY_MS : undefined;
  if ((await names.isFolderListed(destination, { ...call, maxAgeMs, confirmMs })) !== false) return;
  const message = `folder ${folderNumber(destination)} is not among those that the account lists`;
  throw new ServiceError('SERVICE_NOT_FOUND', message, { retry: 'never', sent: 'no' });
}

const searchTextOf = oncePer(({ name }: FileRecord) => searchText(name));

/** Resolves with the files whose names contain these words; null matches all. Yields regularly. */
export async function filterByName(
  files: readonly FileRecord[],
  filter: string | null,
): Promise<FileRecord[]> {
  if (filter === null) return [...files];
  const isFound = nameMatcher(filter);
  const tried = await inTurns(files, (file) => {
    const text = searchTextOf(file);
    return { file, text, isFound: isFound(text) };
  });
  return tried.flatMap((one) => (one.isFound ? [one.file] : []));
}

/**
 * Returns a record's name as lists show it: without HTML escapes if the ledger says that the decoded
 * name was given to the file.
 */
export function shownAs(name: string, filedAs: string | undefined): string {
  if (filedAs === undefined || filedAs === name) return name;
  return sameName(decodeHtml(name), filedAs) ? filedAs : name;
}

export function newestFirst(a: FileRecord, b: FileRecord): number {
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
  files: readonly FileRecord[],
  { asked, destination, isIn }: DescribedFor,
  { ledger, names, workspace }: ListenerContext,
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
