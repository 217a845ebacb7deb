import type { ClaimedFiling, Ledger, Transfer } from '../../src/ledger/index.ts';

/** A call of the ledger that a process is about to make, or has made. */
export type LedgerCall =
  | { when: 'before'; method: string; given: readonly unknown[] }
  | { when: 'after'; method: string; answer: unknown };

/** Hooks that run before and after each ledger call. */
export interface LedgerHooks {
  /** If it throws, the call is not made and rejects with that error. */
  before?: (call: LedgerCall) => void | Promise<void>;
  /**
   * Runs after the call took effect; if it throws, the caller gets that error instead of the
   * result.
   */
  after?: (call: LedgerCall) => void | Promise<void>;
}

/** Wraps a ledger so that the hooks run around each of its calls. */
export function aroundLedger(ledger: Ledger, { before, after }: LedgerHooks): Ledger {
  return new Proxy(ledger, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      return async (...given: unknown[]) => {
        await before?.({ when: 'before', method: name, given });
        const answer: unknown = await Reflect.apply(method, target, given);
        await after?.({ when: 'after', method: name, answer });
        return answer;
      };
    },
  });
}

type Step = { method: keyof Ledger } & (
  | { when: 'before'; of?: (given: readonly unknown[]) => boolean }
  | { when: 'after'; of?: (answer: unknown) => boolean }
);

const claims =
  (...kinds: ClaimedFiling['kind'][]) =>
  (answer: unknown) => {
    const claimed = answer as ClaimedFiling | null;
    return claimed !== null && kinds.includes(claimed.kind);
  };

const isSome = (answer: unknown) => (answer as Transfer[]).length > 0;

const hasOpen = (answer: unknown) =>
  (answer as Transfer[]).some(({ state }) => state === 'creating' || state === 'created');

const hasPosted = ([, end]: readonly unknown[]) =>
  Boolean((end as Parameters<Ledger['endMessage']>[1]).done?.ts);

/** The steps of a transfer, and of its line, between which a process may die. */
const STEPS = {
  claimed: { when: 'after', method: 'claimFiling', of: claims('upload', 'folder') },
  uploading: { when: 'after', method: 'claimFiling', of: claims('upload') },
  'upload-answered': { when: 'before', method: 'markUploaded' },
  uploaded: { when: 'after', method: 'markUploaded' },
  creating: { when: 'after', method: 'announceCreates', of: isSome },
  'create-answered': { when: 'before', method: 'markFiled' },
  created: { when: 'after', method: 'markCreated' },
  looking: { when: 'after', method: 'unfiledIn', of: hasOpen },
  absent: { when: 'before', method: 'markAbsent' },
  filed: { when: 'after', method: 'markFiled' },
  'reply-begun': { when: 'after', method: 'beginPost' },
  'reply-posted': { when: 'before', method: 'endMessage', of: hasPosted },
} satisfies Record<string, Step>;

export type StepName = keyof typeof STEPS;

/** Whether a ledger call is this step. */
export function isStep(name: string, call: LedgerCall): boolean {
  const step: Step | undefined = Object.entries(STEPS).find(([one]) => one === name)?.[1];
  if (step?.method !== call.method) return false;
  if (step.when === 'before') return call.when === 'before' && (step.of?.(call.given) ?? true);
  return call.when === 'after' && (step.of?.(call.answer) ?? true);
}
