import type { Ledger } from '../../src/ledger/index.ts';

/** What stands before and after each call of the ledger, by the name of its method. */
export interface LedgerGuards {
  /** What it throws, the call rejects with, undone. */
  before?: (method: string) => void | Promise<void>;
  /** The call is done; what this throws, the caller gets in place of the answer. */
  after?: (method: string) => void | Promise<void>;
}

/** The same ledger, with every call of it watched. */
export function aroundLedger(ledger: Ledger, { before, after }: LedgerGuards): Ledger {
  return new Proxy(ledger, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      return async (...rest: unknown[]) => {
        await before?.(name);
        const answer: unknown = await Reflect.apply(method, target, rest);
        await after?.(name);
        return answer;
      };
    },
  });
}
