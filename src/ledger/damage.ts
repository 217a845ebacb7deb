import { LedgerError } from './ledger-error.ts';

/** Which calls of the ledger met a damaged database and have not worked since. */
export interface Damage {
  /** Runs a call, and notes whether it meets damage. */
  watch<T>(name: string, run: () => Promise<T>): Promise<T>;
  /** Throws what one of them met: a damaged page is seen only by who reads it. */
  throwIfMet(): void;
}

export function createDamage(): Damage {
  const met = new Map<string, LedgerError>();
  return {
    watch: async (name, run) => {
      try {
        const answer = await run();
        met.delete(name);
        return answer;
      } catch (error) {
        if (error instanceof LedgerError && error.code === 'LEDGER_CORRUPT') met.set(name, error);
        throw error;
      }
    },
    throwIfMet: () => {
      for (const error of met.values()) throw error;
    },
  };
}
