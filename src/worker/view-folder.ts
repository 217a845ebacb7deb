import type { Transfer } from '../ledger/index.ts';
import type { FileList, FileRecord } from '../service/index.ts';
import {
  isAsNew,
  type OpenCreate,
  openCreate,
  recordsBy,
  settledFrom,
} from '../transfers/index.ts';
import { bulkCall, type HeldTransfer, type TransferContext } from './transfer-context.ts';
import { destinationOf } from './transfer-parts.ts';

/** Records that the ledger is asked about at once. */
const MOST_ASKED = 1_000;
/** How old a list may be that looks share, in milliseconds: many creates may be open in a folder. */
const SHARED_MS = 1_500;

const NOBODY: ReadonlySet<number> = new Set();

/** What a folder shows of the creates that are open in it. */
export interface FolderView {
  list: FileList;
  /** Of the files that were asked for, those that no transfer holds, by our creator as far as that is known. */
  records: FileRecord[];
  /** Of these, how many were left out for their creator. */
  byOthers: number;
  /** Whether the service itself told in this process whose our key is. */
  knowsOwn: boolean;
  /** Who makes our records, as far as that is known. */
  creators: ReadonlySet<number>;
  /** The other transfers whose record in the folder is not known: see Holdings. */
  others: Transfer[];
}

/** The others of a folder that may have left a record as new as what a create left. */
export function othersBeside(
  create: OpenCreate,
  { others }: FolderView,
  now: number,
): (Transfer & OpenCreate)[] {
  const sent = others.flatMap((other) => openCreate(other, now));
  return sent.filter((other) => other.state !== 'filed' || isAsNew(create, other));
}

/** Lists the folder of a transfer; `pick` says which of its files may be of interest. */
export async function viewFolder(
  held: HeldTransfer,
  pick: (files: readonly FileRecord[]) => FileRecord[],
  context: TransferContext,
): Promise<FolderView> {
  const list = await listFolder(held, context);
  const picked = newest(pick(list.files));
  const { open, claimed } = await holdings(held, picked, context);
  const free = picked.filter(({ id }) => !claimed.has(id));
  const told = list.creators ?? NOBODY;
  const isNeeded = told.size === 0 && free.length > 0;
  const creators = isNeeded ? await creatorsOfOurs(held, list.files, context) : told;
  const records = recordsBy(creators, free);
  return {
    list,
    records,
    byOthers: free.length - records.length,
    knowsOwn: told.size > 0,
    creators,
    others: open.filter(({ id }) => id !== held.transfer.id),
  };
}

// A list that began before the create was sent shows nothing of it; one that began before it had
// time to take effect does not show that it left nothing.
function listFolder(held: HeldTransfer, context: TransferContext): Promise<FileList> {
  const { service, clock, settleMs } = context;
  const now = clock.now();
  const { creatingSince, answeredAt } = held.transfer;
  const sentAt = Math.min(creatingSince ?? now, now);
  const settledAt = settledFrom({ sentAt, answeredAt }, settleMs);
  const notBefore = settledAt <= now ? settledAt : sentAt;
  const maxAgeMs = Math.min(SHARED_MS, now - notBefore);
  return service.listFiles(destinationOf(held.transfer), {
    ...bulkCall(held),
    notBefore,
    maxAgeMs,
  });
}

function holdings(
  { transfer }: HeldTransfer,
  records: readonly FileRecord[],
  { ledger }: TransferContext,
) {
  const ids = records.map(({ id }) => id);
  return ledger.holdingsIn(destinationOf(transfer), ids);
}

/** Who made the newest records of a folder that transfers hold. */
async function creatorsOfOurs(
  held: HeldTransfer,
  files: readonly FileRecord[],
  context: TransferContext,
): Promise<Set<number>> {
  const asked = newest(files);
  const { claimed } = await holdings(held, asked, context);
  const ours = asked.filter(({ id }) => claimed.has(id));
  return new Set(ours.flatMap(({ creatorId }) => creatorId ?? []));
}

function newest(files: readonly FileRecord[]): FileRecord[] {
  return files.toSorted((a, b) => b.id - a.id).slice(0, MOST_ASKED);
}
