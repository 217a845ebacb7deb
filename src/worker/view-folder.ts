import { destinationOf, type Transfer } from '../ledger/index.ts';
import type { FileList, FileRecord } from '../service/index.ts';
import {
  isAsNew,
  type OpenCreate,
  openCreate,
  recordsBy,
  settledFrom,
} from '../transfers/index.ts';
import type { HeldLease } from './job.ts';
import type { FilingContext } from './worker-context.ts';

/** How old a list that looks share may be, in milliseconds. */
const SHARED_MS = 1_500;

/** The open creates that one look covers. */
export interface LookedFor {
  /** All of one folder. */
  transfers: Transfer[];
  queue: string;
  held: HeldLease;
}

/** What a folder's list and the ledger show about the open creates in it. */
export interface FolderView {
  list: FileList;
  /** Our clock after the list and the ledger were read. */
  now: number;
  /**
   * Takes the files that `pick` returns and no transfer holds. Returns those by our creators, as
   * far as these are known, and how many others were left out.
   */
  freeOf(pick: (files: readonly FileRecord[]) => FileRecord[]): {
    records: FileRecord[];
    byOthers: number;
  };
  /** Whether a create's response in this process named our key's user. */
  knowsOwn: boolean;
  /** The users whose keys created our records, as far as they are known. */
  creators: ReadonlySet<number>;
  /** All transfers whose record in the folder is unknown: see Holdings. */
  open: Transfer[];
}

/** Returns the folder's other transfers that may have left a record as new as this create's. */
export function othersBeside(
  create: Transfer & OpenCreate,
  { open, now }: FolderView,
): (Transfer & OpenCreate)[] {
  const others = open.filter(({ id }) => id !== create.id).flatMap((one) => openCreate(one, now));
  return others.filter((other) => other.state !== 'filed' || isAsNew(create, other));
}

/** Lists the folder of open creates, and reads from the ledger which records transfers hold. */
export async function viewFolder(
  { transfers, queue, held }: LookedFor,
  context: FilingContext,
): Promise<FolderView> {
  const { service, ledger, clock, settleMs } = context;
  const [first] = transfers;
  if (!first) throw new RangeError('a look is for one transfer or more');
  const destination = destinationOf(first);
  const asked = askedFor(transfers, clock.now(), settleMs);
  const call = { lane: 'bulk', queue, signal: held.signal } as const;
  const list = await service.listFiles(destination, { ...call, ...asked });
  const files = list.files.toSorted((a, b) => b.id - a.id);
  const { open, claimed } = await ledger.holdingsIn(destination, files.at(-1)?.id ?? 0);
  const told = list.creators ?? new Set<number>();
  // An open create may have been sent with an earlier key, of another user.
  const creators = new Set([...told, ...(await ledger.knownCreators())]);
  return {
    list,
    now: clock.now(),
    knowsOwn: told.size > 0,
    creators,
    open,
    freeOf: (pick) => {
      const free = pick(files).filter(({ id }) => !claimed.has(id));
      const records = recordsBy(creators, free);
      return { records, byOthers: free.length - records.length };
    },
  };
}

// A list begun before a create was sent cannot show its record; one begun before the create's time
// to take effect was over does not prove that it left none.
function askedFor(transfers: readonly Transfer[], now: number, settleMs: number) {
  const notBefore = Math.max(
    ...transfers.map(({ creatingSince, answeredAt }) => {
      const sentAt = Math.min(creatingSince ?? now, now);
      const settledAt = settledFrom({ sentAt, answeredAt }, settleMs);
      return settledAt <= now ? settledAt : sentAt;
    }),
  );
  return { notBefore, maxAgeMs: Math.min(SHARED_MS, now - notBefore) };
}
