import type { ClaimedFiles, Ledger } from '../../src/ledger/index.ts';

/** A call of the ledger that a process is about to make, or has made. */
export type LedgerCall =
  | { when: 'before'; method: string; given: readonly unknown[] }
  | { when: 'after'; method: string; answer: unknown };

type Moment = { method: keyof Ledger } & (
  | { when: 'before'; of?: (given: readonly unknown[]) => boolean }
  | { when: 'after'; of?: (answer: unknown) => boolean }
);

const claims = (state?: string) => (answer: unknown) => {
  const [first] = (answer as ClaimedFiles | null)?.transfers ?? [];
  return first !== undefined && (state === undefined || first.state === state);
};

const hasPosted = ([, end]: readonly unknown[]) =>
  Boolean((end as Parameters<Ledger['finishNotification']>[1]).done?.replyTs);

/** The steps of a transfer, and of its line, between which a process may die. */
const MOMENTS = {
  claimed: { when: 'after', method: 'claimFiling', of: claims() },
  uploading: { when: 'after', method: 'claimFiling', of: claims('recorded') },
  'upload-answered': { when: 'before', method: 'markUploaded' },
  uploaded: { when: 'after', method: 'markUploaded' },
  creating: { when: 'after', method: 'claimFiling', of: claims('creating') },
  'create-answered': { when: 'before', method: 'markFiled' },
  created: { when: 'after', method: 'markCreated' },
  looking: { when: 'after', method: 'claimLook', of: claims() },
  absent: { when: 'before', method: 'markAbsent' },
  filed: { when: 'after', method: 'markFiled' },
  'reply-begun': { when: 'after', method: 'beginReply' },
  'reply-posted': { when: 'before', method: 'finishNotification', of: hasPosted },
} satisfies Record<string, Moment>;

export type MomentName = keyof typeof MOMENTS;

/** Whether a ledger call is one of these moments. */
export function isMoment(name: string, call: LedgerCall): boolean {
  const moment: Moment | undefined = Object.entries(MOMENTS).find(([one]) => one === name)?.[1];
  if (moment?.method !== call.method) return false;
  if (moment.when === 'before') return call.when === 'before' && (moment.of?.(call.given) ?? true);
  return call.when === 'after' && (moment.of?.(call.answer) ?? true);
}
