import { getHeapStatistics } from 'node:v8';

/** What was observed of the event loop while something ran. */
export interface WatchedLoop<T> {
  value: T;
  /** How often other work had its turn. */
  turns: number;
  /** The longest time in which no other work had a turn, in whole milliseconds. */
  longestStallMs: number;
  /** The longest processor time that this thread worked in between, in whole milliseconds. */
  longestWorkMs: number;
  /** The largest growth of the heap seen at a turn, in whole megabytes. */
  heapMb: number;
}

/** Runs `work` and watches the event loop meanwhile. */
export async function watchLoop<T>(work: () => Promise<T>): Promise<WatchedLoop<T>> {
  const heapBefore = heapUsed();
  let turns = 0;
  let longest = 0;
  let heap = 0;
  let last = performance.now();
  let longestWork = 0;
  let worked = workMs();
  let running = true;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    longestWork = Math.max(longestWork, workMs() - worked);
    worked = workMs();
    turns += 1;
    heap = Math.max(heap, heapUsed() - heapBefore);
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const value = await work();
    const longestStallMs = Math.round(Math.max(longest, performance.now() - last));
    const longestWorkMs = Math.round(Math.max(longestWork, workMs() - worked));
    const heapMb = Math.round(heap / 1024 / 1024);
    return { value, turns, longestStallMs, longestWorkMs, heapMb };
  } finally {
    running = false;
  }
}

function workMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

// Reading the process's memory would cost more than the work that is watched.
function heapUsed(): number {
  return getHeapStatistics().used_heap_size;
}
