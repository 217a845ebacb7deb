import { LedgerError } from './ledger-error.ts';

type Call = (...rest: never[]) => Promise<unknown>;

/** Which calls of the ledger met a damaged database and have not worked since. */
export interface Damage {
  /** The same calls, watched. */
  watched<T extends Record<string, Call>>(calls: T): T;
  /** Throws what one of them met: a damaged page is seen only by who reads it. */
  throwIfMet(): void;
}

export function createDamage(): Damage {
  const met = new Map<string, LedgerError>();

  async function watch(name: string, run: () => Promise<unknown>): Promise<unknown> {
    try {
      const answer = await run();
      met.delete(name);
      return answer;
    } catch (error) {
      if (error instanceof LedgerError && error.code === 'LEDGER_CORRUPT') met.set(name, error);
      throw error;
    }
  }

  const watched = <T extends Record<string, Call>>(calls: T): T =>
    Object.assign(
      {},
      calls,
      Object.fromEntries(
        Object.entries(calls).map(([name, call]) => [
          name,
          (...rest: never[]) => watch(name, () => call(...rest)),
        ]),
      ),
    );

  return {
    watched,
    throwIfMet: () => {
      for (const error of met.values()) throw error;
    },
  };
}
