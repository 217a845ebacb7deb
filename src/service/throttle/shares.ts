import type { Lane } from './throttle.ts';

/** Of all slots, what is kept for the bulk lane: at least one, where there is another. */
const BULK_SHARE = 1 / 3;
/** From how many slots on the bulk lane leaves one alone. */
const FEWEST_TO_RESERVE_OF = 4;
/** Of the slots that people have, what one person may have at the most. */
const PERSONAL_SHARE = 2 / 3;
/** The same while no more than a sixth of all is free: the last ones are not for one person alone. */
const PERSONAL_SHARE_OF_LAST = 3 / 8;
const LAST_SHARE = 1 / 6;

/** How many of `slots` each lane may use, so that neither ever keeps the other from sending. */
export function slotsOf(slots: number): Record<Lane, number> {
  return {
    interactive: Math.max(1, slots - Math.max(1, Math.floor(slots * BULK_SHARE))),
    bulk: slots < FEWEST_TO_RESERVE_OF ? slots : slots - 1,
  };
}

/** How many of `slots` one person may use while `free` of them are free: at least one. */
export function personalSlots(slots: number, free: number): number {
  const share = free <= slots * LAST_SHARE ? PERSONAL_SHARE_OF_LAST : PERSONAL_SHARE;
  return Math.max(1, Math.floor(slotsOf(slots).interactive * share));
}
