import type { Clock } from '../base/index.ts';
import type { AccountList } from './file-record.ts';

/** A list as it was when it was asked for. */
export interface KeptList<T> {
  /** Null where the account does not offer it. */
  list: AccountList<T> | null;
  /** When it was asked for, by our clock. */
  fetchedAt: number;
}

/** One list, under way or there. */
export interface AskedList<T> {
  /** When it was asked for, by our clock. */
  askedAt: number;
  kept: Promise<KeptList<T>>;
}

/** Lists that change rarely and are asked for by many. */
export interface KeptLists {
  /** A copy of `maxAgeMs` at the most, what is under way in the same lane, or what `fetch` brings. */
  ask<T>(wanted: WantedList, fetch: () => Promise<AccountList<T> | null>): AskedList<T>;
}

export interface WantedList {
  /** Names the list. */
  key: string;
  lane: string;
  maxAgeMs: number;
}

export interface KeptListsOptions {
  clock: Clock;
  /** How old a copy is when it goes, in milliseconds. */
  keepMs: number;
  /** Records kept at most, in all copies together but the last; the oldest copies go first. */
  records: number;
}

/** Keeps nothing at first; what fails is not kept. */
export function createKeptLists({ clock, keepMs, records }: KeptListsOptions): KeptLists {
  const copies = new Map<string, KeptList<unknown>>();
  const running = new Map<string, AskedList<unknown>>();

  function dropOld(): void {
    const oldest = clock.now() - keepMs;
    for (const [key, { fetchedAt }] of copies) if (fetchedAt < oldest) copies.delete(key);
  }

  function keep(key: string, copy: KeptList<unknown>): void {
    copies.delete(key);
    copies.set(key, copy);
    let kept = 0;
    for (const { list } of copies.values()) kept += list?.records.length ?? 0;
    for (const [oldest, { list }] of copies) {
      if (kept <= records || oldest === key) break;
      copies.delete(oldest);
      kept -= list?.records.length ?? 0;
    }
  }

  function start(runs: string, key: string, fetch: () => Promise<AccountList<unknown> | null>) {
    const askedAt = clock.now();
    const kept = fetch().then(
      (list) => {
        running.delete(runs);
        const copy = { list, fetchedAt: askedAt };
        keep(key, copy);
        return copy;
      },
      (error: unknown) => {
        running.delete(runs);
        throw error;
      },
    );
    const asked = { askedAt, kept };
    running.set(runs, asked);
    return asked;
  }

  return {
    ask<T>(
      { key, lane, maxAgeMs }: WantedList,
      fetch: () => Promise<AccountList<T> | null>,
    ): AskedList<T> {
      dropOld();
      const copy = copies.get(key);
      if (copy && clock.now() - copy.fetchedAt <= maxAgeMs)
        return { askedAt: copy.fetchedAt, kept: Promise.resolve(copy as KeptList<T>) };
      const runs = `${lane} ${key}`;
      return (running.get(runs) ?? start(runs, key, fetch)) as AskedList<T>;
    },
  };
}
