import type { PendingCreate } from './pending-create.ts';

const LARGEST_BATCH = 100;

/** The creates that wait for one folder, in one lane. */
export interface CreateLine {
  waiting: PendingCreate[];
  /** Set while a slot of the throttle is asked for; aborts the asking. */
  asking: AbortController | null;
}

/** Who of a line can go now: a twin of one that is on its way waits until that has settled. */
export function firstReady(
  line: CreateLine,
  onTheirWay: ReadonlySet<string>,
): PendingCreate | undefined {
  return line.waiting.find((item) => !onTheirWay.has(item.twinKey));
}

/**
 * Takes the next batch out of a line, in order: all who can go, no two twins, 100 at most; one
 * that must go alone goes alone.
 */
export function takeBatch(line: CreateLine, onTheirWay: ReadonlySet<string>): PendingCreate[] {
  const first = firstReady(line, onTheirWay);
  if (!first) return [];
  const batch = first.alone ? [first] : takeTogether(line.waiting, onTheirWay);
  line.waiting = line.waiting.filter((item) => !batch.includes(item));
  return batch;
}

function takeTogether(waiting: PendingCreate[], onTheirWay: ReadonlySet<string>): PendingCreate[] {
  const taken = new Set(onTheirWay);
  const batch: PendingCreate[] = [];
  for (const item of waiting) {
    if (batch.length === LARGEST_BATCH) break;
    if (item.alone || taken.has(item.twinKey)) continue;
    taken.add(item.twinKey);
    batch.push(item);
  }
  return batch;
}
