/** How fast bulk calls may follow each other. Times in milliseconds, by one clock. */
export interface Pace {
  /** How long a place is kept. */
  holdMs: number;
  /** The steady time between two calls. */
  intervalMs: number;
  /** How many calls may go at once after idleness; 0 when they are to be spread from the first. */
  burst: number;
}

/** Where the bulk lane stands. */
export interface BulkStanding {
  /** When the last bulk call went; null before the first. */
  lastSentAt: number | null;
  /** When the next call would go if all went at the steady rate: see `nextDue`. */
  due: number;
  /** Bulk places that are taken, and those that a bulk call could have now. */
  taken: number;
  free: number;
  /** Places that calls of people have taken: as many are expected in the time to come. */
  takenByPeople: number;
  /** When the next place comes back; null when none is taken. */
  nextReturnAt: number | null;
}

/**
 * The earliest time for the next bulk call, so that a person who comes at any moment soon finds a
 * place. Two rules; the later counts:
 *
 * - rate: the steady rate, of which `burst` calls may run ahead. Because it is measured against the
 *   ideal times, calls that left late are made up for.
 * - spread: beyond the first `burst`, the free places are spread evenly over the time until the
 *   next place comes back, less those that people are likely to take until then. They are always
 *   used up before it does: nothing is left idle.
 */
export function earliestBulkCall(pace: Pace, standing: BulkStanding): number {
  const byRate = standing.due - Math.max(0, pace.burst - 1) * pace.intervalMs;
  return Math.max(byRate, bySpread(pace, standing));
}

/** `due` after a call that goes at `now`; idleness saves up no more than the burst. */
export function nextDue(due: number, now: number, intervalMs: number): number {
  return Math.max(due, now) + intervalMs;
}

function bySpread(pace: Pace, standing: BulkStanding): number {
  const { lastSentAt, nextReturnAt, taken, free } = standing;
  if (taken < pace.burst || free < 1) return 0;
  if (lastSentAt === null || nextReturnAt === null) return 0;
  const time = nextReturnAt - lastSentAt;
  const forPeople = (standing.takenByPeople * time) / pace.holdMs;
  return lastSentAt + time / (Math.max(0, free - forPeople) + 1);
}
