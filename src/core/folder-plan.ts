import type { ErrorCode } from '../base/index.ts';
import { plainForm } from './names.ts';
import type { TransferState } from './state.ts';

/** What a folder's job does next, for the transfers that are not filed yet: see nextInFolder. */

/** Most attachments in one create request. */
const LARGEST_BATCH = 100;
/** Most open creates that one look covers. */
const MAX_LOOKED_FOR = 500;
/** The wait for an identical file, in milliseconds; it ends early when the folder's job settles that. */
const LOOK_AGAIN_MS = 30_000;
/** Problems of a transfer that waits for another of its name and size. */
export const FOR_TWINS: readonly (ErrorCode | null)[] = ['LEDGER_CONFLICT', 'TWIN_UNCONFIRMED'];
/** A folder's job that died so often in its process takes one transfer at a time. */
const MAX_TOGETHER = 3;

/**
 * An attachment to be created, a transfer whose record in the folder is unknown, or with `earlier` one to
 * look for before it is sent.
 */
interface Unfiled {
  id: number;
  state: TransferState;
  name: string;
  byteSize: number | null;
  earlier: string | null;
  /** 1 if it is created on its own. */
  alone: number;
  creatingSince: number | null;
  /** Before when it is not tried again; null for no wait. */
  nextTryAt: number | null;
  problem: ErrorCode | null;
}

interface FolderPlan<T extends Unfiled> {
  /** The open creates to look for. If there are any, nothing is created before. */
  look: T[];
  /** The attachments to create with one request. */
  create: T[];
  /** The files to look for before they are sent, once nothing is to be created. */
  seek: T[];
  /** The attachments that wait for another of their name and size, whose outcome is unknown. */
  blocked: { one: T; by: T }[];
  /** When there is something to do again; null for never. */
  dueAt: number | null;
}

/**
 * Returns what to do in a folder at `now`. `unfiled`: the attachments, the open creates, the files to
 * look for, and the transfers that were refused before the outcome of their create was known, in the
 * order in which they were recorded. `attempts`: how often the folder's job was claimed since it last
 * ended. `alone`: creates one at most.
 *
 * Of several files of one name and size, one is under way at a time: a look could not tell their
 * records apart.
 */
export function nextInFolder<T extends Unfiled>(
  unfiled: readonly T[],
  { now, attempts = 1, alone = false }: { now: number; attempts?: number; alone?: boolean },
): FolderPlan<T> {
  const isReady = ({ nextTryAt }: T) => nextTryAt === null || nextTryAt <= now;
  const unsettled = unfiled.filter(({ state }) => state !== 'uploaded' && state !== 'recorded');
  const open = unsettled.filter(({ state }) => state !== 'refused');
  const look = open.filter(isReady).slice(0, MAX_LOOKED_FOR);
  const isSought = ({ earlier }: T) => earlier !== null;
  const holders = new Map(unsettled.map((one) => [likenessOf(one), one]));
  const isFreed = (one: T) => FOR_TWINS.includes(one.problem) && !holders.has(likenessOf(one));
  const ready = unfiled.filter(
    (one) => one.state === 'uploaded' && !isSought(one) && (isReady(one) || isFreed(one)),
  );
  const blocked = ready.flatMap((one) => {
    const by = holders.get(likenessOf(one));
    return by ? [{ one, by }] : [];
  });
  const isBlocked = new Set(blocked.map(({ one }) => one.id));
  const free = ready.filter(({ id }) => !isBlocked.has(id));
  const create = alone || attempts > MAX_TOGETHER ? leastTried(free) : together(free);
  const sought = unfiled.filter((one) => isSought(one) && isReady(one));
  const seek = look.length > 0 || create.length > 0 ? [] : sought;
  const isDueNow = [look, create, sought].some(({ length }) => length > 0);
  const waits = unfiled.flatMap((one) => (one.state === 'refused' ? [] : (one.nextTryAt ?? [])));
  const later = [
    ...waits.filter((at) => at > now),
    ...(blocked.length > 0 ? [now + LOOK_AGAIN_MS] : []),
  ];
  const dueAt = isDueNow ? now : later.length > 0 ? Math.min(...later) : null;
  return { look, create, seek, blocked, dueAt };
}

// A file whose batch was refused goes alone.
function together<T extends Unfiled>(free: readonly T[]): T[] {
  const [first] = free;
  if (first?.alone === 1) return [first];
  const batch = new Map<string, T>();
  for (const one of free) {
    if (batch.size === LARGEST_BATCH) break;
    const likeness = likenessOf(one);
    if (one.alone === 0 && !batch.has(likeness)) batch.set(likeness, one);
  }
  return [...batch.values()];
}

function leastTried<T extends Unfiled>(free: readonly T[]): T[] {
  const triedAt = ({ creatingSince }: T) => creatingSince ?? 0;
  return free.toSorted((a, b) => triedAt(a) - triedAt(b)).slice(0, 1);
}

/** Equal for files of one size and name, however that is escaped. */
export function likenessOf({ name, byteSize }: Pick<Unfiled, 'name' | 'byteSize'>): string {
  return `${byteSize}/${plainForm(name)}`;
}
