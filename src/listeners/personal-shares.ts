import type { Clock } from '../base/index.ts';

/** How much each person has taken of what all share, in any window. */
export type PersonalShares = ReturnType<typeof createPersonalShares>;

export interface PersonalSharesOptions {
  clock: Clock;
  /** How many one person may have taken, in hand and in the window. */
  most: number;
  /** Milliseconds. */
  windowMs: number;
}

interface Taken {
  /** Null while it is in hand. */
  until: number | null;
}

const SHORTEST_WAIT_MS = 1_000;

/** Nobody has taken any. */
export function createPersonalShares({ clock, most, windowMs }: PersonalSharesOptions) {
  const shares = new Map<string, Set<Taken>>();

  function dropOld(): void {
    const now = clock.now();
    for (const [person, taken] of shares) {
      for (const one of taken) if (isOver(one, now)) taken.delete(one);
      if (taken.size === 0) shares.delete(person);
    }
  }

  // One that lasts longer than a window was taken before the clock was set back.
  function isOver({ until }: Taken, now: number): boolean {
    return until !== null && (until <= now || until > now + windowMs);
  }

  return {
    /**
     * Takes one for this person, who calls `end` when it is over: it stays taken for a window from then.
     * For somebody who has as many as one person may, the milliseconds until the next comes back, at
     * least 1,000.
     */
    take(person: string): { end(): void } | { waitMs: number } {
      dropOld();
      const taken = shares.get(person) ?? new Set();
      if (taken.size >= most) return { waitMs: firstReturn(taken, clock.now()) };
      const one: Taken = { until: null };
      shares.set(person, taken.add(one));
      const end = () => {
        one.until = clock.now() + windowMs;
      };
      return { end };
    },
  };
}

function firstReturn(taken: ReadonlySet<Taken>, now: number): number {
  const returns = [...taken].map(({ until }) => until).filter((until) => until !== null);
  const next = returns.length === 0 ? now : Math.min(...returns);
  return Math.max(SHORTEST_WAIT_MS, next - now);
}
