import {
  ageOf,
  assignRecords,
  type FolderRecord,
  hasSettled,
  isInFolder,
  isSame,
  looksLike,
  mayBe,
  type Named,
  type OpenCreate,
  openCreate,
  othersBeside,
  recordsBy,
  type SoughtFile,
  seekRecord,
  settledFrom,
  type UnidentifiedIn,
} from '../core/index.ts';
import { destinationOf, type Transfer } from '../ledger/index.ts';
import type { FolderReading } from '../service/index.ts';
import { byAttachment } from './create-batch.ts';
import type { EngineContext } from './engine-context.ts';
import type { HeldTransfer } from './job.ts';

/** How old a list that looks share may be, in milliseconds. */
const SHARED_MS = 1_500;

/** `free` is by descending identifier. */
export interface FolderView extends UnidentifiedIn<Transfer & OpenCreate, FolderRecord> {
  list: FolderReading;
  /** Whether a create's response has told whose our key is; it may have changed before. */
  isKeyKnown: boolean;
  /** Our clock after the list and the ledger were read. */
  now: number;
}

/**
 * Lists the folder of open creates, and of sought files, and reads from the ledger which records
 * transfers hold.
 */
export async function viewFolder(
  looked: readonly HeldTransfer[],
  sought: readonly SoughtFile[],
  context: EngineContext,
): Promise<FolderView> {
  const { service, folders, ledger, clock, settleMs } = context;
  const [first] = looked;
  if (!first) throw new RangeError('a look is for one transfer or more');
  const { transfer, signal } = first;
  const destination = destinationOf(transfer);
  const call = { lane: 'bulk', queue: transfer.queue, signal } as const;
  const wanted = listFor(looked, clock.now(), settleMs);
  const list = await folders.read(destination, { ...call, ...wanted });
  // Open creates are read first: one that is filed in between is then in both, not in neither.
  const open = await ledger.openCreates(destination);
  const now = clock.now();
  const creates = open.map((one) => openCreate(one, now));
  const asked = { id: list.folder, open: creates, sought };
  const free = await ledger.unheldRecords(destination, asked);
  const known = await ledger.knownCreators();
  return {
    ...{ list, now, free, open: creates },
    // An open create may have been sent with an earlier key, of another user.
    creators: new Set([...service.creators, ...known]),
    isKeyKnown: service.creators.size > 0,
  };
}

// A list begun before a create was sent cannot show its record; one begun before the create's time
// to take effect was over does not prove that it left none, nor does one that was read in part.
function listFor(looked: readonly HeldTransfer[], now: number, settleMs: number) {
  const wanted = looked.map(({ transfer: { state, creatingSince, answeredAt } }) => {
    const sentAt = Math.min(creatingSince ?? now, now);
    const settledAt = settledFrom({ creatingSince: sentAt, answeredAt }, settleMs);
    const isProof = state === 'creating' && settledAt <= now;
    return { notBefore: settledAt <= now ? settledAt : sentAt, isProof };
  });
  const notBefore = Math.max(...wanted.map((one) => one.notBefore));
  const whole = wanted.some(({ isProof }) => isProof);
  return { notBefore, whole, maxAgeMs: Math.min(SHARED_MS, now - notBefore) };
}

/** Returns the record of a create with a success response that held none; null if none fits. */
export function ownRecord(transfer: Transfer, view: FolderView): FolderRecord | null {
  const own = openCreate(transfer, view.now);
  const others = othersBeside(own, view.open);
  const sought = [own, ...others.filter(isInFolder)].sort(byAttachment);
  const rivals = others.filter((other) => !isInFolder(other));
  const records = assignRecords(sought, usable(own, view, rivals));
  return records[sought.findIndex(({ id }) => id === own.id)] ?? null;
}

// A record needs a matching name if an unanswered create or another user may have made it.
function usable(own: OpenCreate, view: FolderView, rivals: readonly OpenCreate[]): FolderRecord[] {
  const inQuestion = view.free.filter((file) => isInQuestion(own, file));
  const isOurs = ({ creatorId }: FolderRecord) => view.creators.size > 0 || creatorId === null;
  return recordsBy(view.creators, inQuestion).filter((record) =>
    rivals.some((rival) => mayBe(rival, record))
      ? isSame(own, record) || isAlikeAlone(own, record, rivals)
      : isOurs(record) || looksLike(own, record),
  );
}

function isInQuestion(own: OpenCreate, file: FolderRecord): boolean {
  const age = ageOf(own, file);
  return age === 'new' || (age === 'doubtful' && isSame(own, file));
}

function isAlikeAlone(own: Named, record: FolderRecord, rivals: readonly Named[]): boolean {
  return looksLike(own, record) && !rivals.some((rival) => looksLike(rival, record));
}

type Seen =
  | { verdict: 'found'; record: FolderRecord }
  | { verdict: 'absent' }
  /** `why`: for the log and the operator. */
  | { verdict: 'unclear'; why: string };

/**
 * Returns what the view shows of an open create: its record, that there is none, or neither. Returns
 * `absent` only for a list that was read to its end, late enough to show the record.
 */
export function seek(transfer: Transfer, view: FolderView, settleMs: number): Seen {
  const open = openCreate(transfer, view.now);
  const { match, records, byOthers } = seekRecord(open, view);
  if (match.verdict === 'found') return match;
  if (match.verdict === 'unclear')
    return unclear(`records ${records.map(({ id }) => id)} of its folder may be its own`);
  const why = unseenPart(view, byOthers);
  if (why !== null) return unclear(why);
  if (hasSettled(open, view.list, settleMs)) return { verdict: 'absent' };
  return unclear('its folder was listed too early, by the clock of the service');
}

/** Returns why a record that the view does not show may be in the folder all the same; null if not. */
export function unseenPart({ list, isKeyKnown }: FolderView, byOthers: number): string | null {
  if (byOthers > 0 && !isKeyKnown) return `${byOthers} records of its folder may be by its creator`;
  if (list.unreadable > 0) return `${list.unreadable} records of its folder cannot be read`;
  return list.complete ? null : 'its folder could not be read to its end';
}

function unclear(why: string): Seen {
  return { verdict: 'unclear', why };
}
