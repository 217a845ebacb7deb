import type { Clock } from '../base/index.ts';
import {
  type Destination,
  type FolderRecord,
  folderNumber,
  isProof,
  type KnownFolder,
  orderOfNumbers,
  type Proof,
} from '../core/index.ts';
import type { CallOptions } from './call.ts';
import { ServiceError } from './errors.ts';
import { type Identified, type Listing, type ListSource, readList } from './list.ts';
import type { NameCache } from './name-cache.ts';

type ByNumber<T> = Promise<ReadonlyMap<number, T>>;

/** What lists of folders have shown, as the ledger keeps it: see its mirror.ts. */
export interface Mirror {
  findFolder(folder: Destination): Promise<KnownFolder | undefined>;
  beginReading(folder: Destination, now: number): Promise<KnownFolder>;
  applyListed(
    id: number,
    listed: { records: readonly FolderRecord[]; asked: number | null },
  ): Promise<{ before: number; after: number }>;
  liveNumbers(id: number, part: { after: number; limit: number }): Promise<number[]>;
  markMissing(
    id: number,
    missed: { numbers: readonly number[]; asked: number; now: number },
  ): Promise<void>;
  noteComplete(id: number, proof: Proof): Promise<boolean>;
  countRecords(id: number, part: { below?: number | undefined }): Promise<number>;
  newestRecords(id: number, page: { limit: number }): Promise<FolderRecord[]>;
  recordsNumbered(id: number, numbers: readonly number[]): ByNumber<FolderRecord>;
  /** Those of these records that we filed, and that still are what was filed. */
  filedRecords(folder: Destination, records: readonly FolderRecord[]): ByNumber<unknown>;
}

/** A folder after it was read: its records are in the mirror. */
export interface FolderReading {
  /** The folder's identifier in the mirror. */
  folder: number;
  /** Whether the mirror holds all records that the folder had at `fetchedAt`, and no others. */
  complete: boolean;
  /** Records of the list that cannot be read. */
  unreadable: number;
  /** Our clock at the first request. */
  fetchedAt: number;
  /** The service's clock at its response; null without one. */
  serviceTime: number | null;
}

/** Which folder is read, and how. */
interface Request extends CallOptions {
  destination: Destination;
  /** Whether the folder is known to exist. Default: false, it is checked. */
  isThere?: boolean | undefined;
}

/** A reading in progress. */
export interface Begun {
  /** As it was at the start; `written`: the last write, unless that was by somebody else. */
  folder: KnownFolder;
  /** When it began, by our clock: what is written later is not taken back by it. */
  at: number;
  isThere: boolean;
}

export interface MirrorWriterOptions {
  mirror: Mirror;
  pagesOf(folder: Destination, call: CallOptions): ListSource<FolderRecord>;
  names: Pick<NameCache, 'isFolderListed'>;
  clock: Clock;
}

/** Records written, and compared, at once: a few milliseconds of work. */
const WRITTEN_AT_ONCE = 200;
const COMPARED_AT_ONCE = 5_000;

/** Creates what puts the lists of folders into the mirror, by the rules of mirror-rules.ts. */
export function createMirrorWriter({ mirror, pagesOf, names, clock }: MirrorWriterOptions) {
  async function begin({ destination, isThere = false }: Request): Promise<Begun> {
    const at = clock.now();
    return { folder: await mirror.beginReading(destination, at), at, isThere };
  }

  /** Returns the folder's pages, by number only: each is in the mirror before it is handed on. */
  function mirrored(
    begun: Begun,
    request: Request,
    call: Partial<CallOptions> = {},
  ): ListSource<Identified> {
    const { folder } = begun;
    const source = pagesOf(request.destination, { ...request, ...call });
    const readPage = async (start: number | null) => {
      const page = await source.readPage(start);
      const records = page.entries.filter((entry) => entry !== null);
      await ensureThere(begun, { records, askedAt: page.askedAt, request });
      for (const some of inParts(records)) {
        const listed = { records: some, asked: folder.counter };
        const { before, after } = await mirror.applyListed(folder.id, listed);
        if (before === folder.written) folder.written = after;
      }
      return { ...page, entries: page.entries.map((entry) => entry && { id: entry.id }) };
    };
    return { ...source, readPage };
  }

  /**
   * Rejects with SERVICE_NOT_FOUND if the account's list of folders lacks this one. For a missing
   * folder, some accounts return no files or those of all others (service interface, appendix 2,
   * R5). It exists if we filed one of the `records` there, or if the account lists it.
   */
  async function ensureThere(
    begun: Begun,
    { records, askedAt, request }: { records: FolderRecord[]; askedAt: number; request: Request },
  ): Promise<void> {
    if (begun.isThere) return;
    const { destination } = request;
    // The service may list newest first or last; the newest are at one of the ends.
    const ends = [...records.slice(0, MAX_PROVING), ...records.slice(-MAX_PROVING)];
    if ((await mirror.filedRecords(destination, ends)).size === 0) {
      const maxAgeMs = Math.max(0, clock.now() - askedAt);
      const confirmMs = records.length === 0 ? CONFIRM_EMPTY_MS : undefined;
      const call = { ...request, maxAgeMs, confirmMs };
      if ((await names.isFolderListed(destination, call)) === false) throw notThere(destination);
    }
    begun.isThere = true;
  }

  /** Ends a reading: marks what is gone, and notes whether all records are known. */
  async function conclude(
    { folder }: Begun,
    list: Listing<Identified>,
    source: ListSource<Identified>,
  ): Promise<FolderReading> {
    const { id, counter: asked } = folder;
    const { fetchedAt, serviceTime } = list;
    const unreadable = list.unreadable.size;
    const missing = await missingFrom(id, list, source);
    const complete = missing !== null;
    if (complete) {
      for (const numbers of inParts(missing))
        await mirror.markMissing(id, { numbers, asked, now: clock.now() });
      const numbers = [...list.records.keys()];
      const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
      const known = { listOrder: orderOfNumbers(numbers), paged: list.paged ? 1 : 0, highest };
      const times = { completeAt: fetchedAt, readAt: clock.now(), serviceTime };
      await mirror.noteComplete(id, { ...known, ...times, unreadable });
    }
    return { folder: id, complete, unreadable, fetchedAt, serviceTime };
  }

  /** Returns the known records that are gone; null if the list does not prove that: rule 3. */
  async function missingFrom(
    id: number,
    list: Listing<Identified>,
    source: ListSource<Identified>,
  ): Promise<number[] | null> {
    const proof = await proofOf(list, source);
    if (proof === 'no') return null;
    const missing = await notIn(list, id);
    if (proof === 'yes' || missing.length === 0) return missing;
    const second = await readList(source);
    if ((await proofOf(second, source)) === 'no') return null;
    return missing.filter((number) => !second.records.has(number));
  }

  // The front is read once more: a record may have moved there while the list was read.
  async function proofOf(list: Listing<Identified>, source: ListSource<Identified>) {
    if (list.state !== 'whole') return 'no';
    const { records, unreadable, paged, length } = list;
    const order = orderOfNumbers(records.keys());
    const proof = isProof({ order, paged, length, read: records.size + unreadable.size });
    if (proof !== 'twice') return proof;
    const { entries } = await source.readPage(null);
    return entries.every((entry) => entry === null || records.has(entry.id)) ? proof : 'no';
  }

  /** Returns the known records that are not in the list. */
  async function notIn({ records }: Listing<Identified>, id: number): Promise<number[]> {
    const missing: number[] = [];
    let after: number | undefined = -1;
    while (after !== undefined) {
      const numbers: number[] = await mirror.liveNumbers(id, { after, limit: COMPARED_AT_ONCE });
      missing.push(...numbers.filter((number) => !records.has(number)));
      after = numbers.at(-1);
    }
    return missing;
  }

  return { begin, mirrored, conclude };
}

function* inParts<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += WRITTEN_AT_ONCE)
    yield items.slice(at, at + WRITTEN_AT_ONCE);
}

/** The most files to look up at each end of a page: one that we filed proves the folder exists. */
const MAX_PROVING = 50;
/**
 * How long an empty list waits for whether its folder, listed in the last minute, still exists, in
 * milliseconds: while many files are being filed, the rate window may be full.
 */
const CONFIRM_EMPTY_MS = 400;

function notThere(destination: Destination): ServiceError {
  const message = `folder ${folderNumber(destination)} is not among those that the account lists`;
  return new ServiceError('SERVICE_NOT_FOUND', message, { retry: 'never', sent: 'no' });
}
