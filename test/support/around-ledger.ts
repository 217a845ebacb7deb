import type { Ledger } from '../../src/ledger/index.ts';
import type { LedgerCall } from './moments.ts';

/** Hooks that run before and after each ledger call; they receive the method's name. */
export interface LedgerGuards {
  /** If it throws, the call is not made and rejects with that error. */
  before?: (method: string, call: LedgerCall) => void | Promise<void>;
  /**
   * Runs after the call took effect; if it throws, the caller gets that error instead of the
   * result.
   */
  after?: (method: string, call: LedgerCall) => void | Promise<void>;
}

/** Wraps a ledger so that the hooks run around each of its calls. */
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
