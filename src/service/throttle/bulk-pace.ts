import type { Slots, Standing } from './slots.ts';
import { slotsOf, type ThrottleOptions } from './throttle.ts';

/** Of a window's slots, what people are expected to take. */
const PEOPLES_SHARE = 1 / 5;
/** Of a window's bulk calls, how many may run ahead of the rate after a wait for slots. */
const AHEAD_SHARE = 1 / 4;

/**
 * The earliest time at which a bulk call leaves enough for people, who are expected to take a fifth of the
 * slots in a window, evenly. After idleness, bulk calls get all but that fifth; then what
 * people leave of it; and as slots come back evenly, all but what they may not have. Never later than the
 * next that comes back.
 */
export function roomForBulkAt(standing: Standing): number {
  const { now, slots, free, returns, holdMs } = standing;
  if (free > standing.leftForPeople) return now;
  const next = Math.max(now + 1, returns[0] ?? 0);
  if (free <= slots - slotsOf(slots).bulk) return next;
  const personEveryMs = holdMs / Math.floor(slots * PEOPLES_SHARE);
  const enoughAt = returns.map((at, before) => at - (free + before) * personEveryMs);
  return Math.min(next, Math.max(now, ...enoughAt));
}

/**
 * What fits goes at once, what does not fit is spread: a window's bulk calls may run ahead of the steady
 * rate while slots are free; once slots had to be waited for, a quarter of them; none while the service
 * takes less than the limit. The function resolves when the next call may go, and rejects with the
 * signal's reason when that aborts.
 */
export function createBulkPace(
  slots: Pick<Slots, 'standing'>,
  { clock, limit }: ThrottleOptions,
  signal: AbortSignal,
): () => Promise<void> {
  // When the next call would go if all went at the steady rate.
  let due = 0;

  return async () => {
    for (let ahead = 1; ; ) {
      const standing = await slots.standing();
      const { now, holdMs } = standing;
      const earliest = now - (standing.slots < limit.requests ? 0 : ahead * holdMs);
      // A clock that is set back keeps nobody waiting for longer than a window.
      due = Math.min(Math.max(due, earliest), now + holdMs);
      const intervalMs = holdMs / slotsOf(standing.slots).bulk;
      const roomAt = roomForBulkAt(standing);
      const delay = Math.max(due, roomAt) - now;
      if (delay <= 0) {
        due += intervalMs;
        return;
      }
      await clock.sleep(Math.max(1, Math.min(delay, intervalMs)), signal);
      if (roomAt > now) ahead = AHEAD_SHARE;
    }
  };
}
