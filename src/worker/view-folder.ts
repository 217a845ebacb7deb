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

/** How old a list may be that looks share, in milliseconds. */
const SHARED_MS = 1_500;

/** What is looked for together. */
export interface LookedFor {
  /** The open creates of one folder. */
  transfers: Transfer[];
  queue: string;
  held: HeldLease;
}

/** What a folder shows of the creates that are open in it. */
export interface FolderView {
  list: FileList;
  /** Our clock when it was looked at. */
  now: number;
  /**
   * Of the files that `pick` returns, those that no transfer holds: the records by our creator, as far
   * as that is known, and how many were left out for their creator.
   */
  freeOf(pick: (files: readonly FileRecord[]) => FileRecord[]): {
    records: FileRecord[];
    byOthers: number;
  };
  /** Whether the service itself told in this process whose our key is. */
  knowsOwn: boolean;
  /** Who makes our records, as far as that is known. */
  creators: ReadonlySet<number>;
  /** All transfers whose record in the folder is not known: see Holdings. */
  open: Transfer[];
}

/** The others of a folder that may have left a record as new as what a create left. */
export function othersBeside(
  create: Transfer & OpenCreate,
  { open, now }: FolderView,
): (Transfer & OpenCreate)[] {
  const others = open.filter(({ id }) => id !== create.id).flatMap((one) => openCreate(one, now));
  return others.filter((other) => other.state !== 'filed' || isAsNew(create, other));
}

/** Lists the folder of open creates, and asks the ledger what of it transfers hold. */
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
  // An open create may have been sent with the key of another user than today's.
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

// A list that began before a create was sent shows nothing of it; one that began before it had time to
// take effect does not show that it left nothing.
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
