import type { Ledger } from '../../src/ledger/index.ts';
import type { LedgerCall } from './moments.ts';

/** What stands before and after each call of the ledger, by the name of its method. */
export interface LedgerGuards {
  /** What it throws, the call rejects with, undone. */
  before?: (method: string, call: LedgerCall) => void | Promise<void>;
  /** The call is done; what this throws, the caller gets in place of the answer. */
  after?: (method: string, call: LedgerCall) => void | Promise<void>;
}

/** The same ledger, with every call of it watched. */
export function aroundLedger(ledger: Ledger, { before, after }: LedgerGuards): Ledger {
  return new Proxy(ledger, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      return async (...given: unknown[]) => {
        await before?.(name, { when: 'before', method: name, given });
        const answer: unknown = await Reflect.apply(method, target, given);
        await after?.(name, { when: 'after', method: name, answer });
        return answer;
      };
    },
  });
}
