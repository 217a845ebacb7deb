import { StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { recording } from '../support/builders.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';

it('nextDue runs one statement for all calls of a turn, and returns each its own value', async () => {
  const ledger = await openEmptyLedger(0);
  onTestFinished(() => ledger.close());
  await ledger.recordShare(recording({}, { now: 1_000 }));
  await ledger.recordDeletions([{ team: 'T1', fileId: 'F7' }], 5_000);
  const run = vi.spyOn(StatementSync.prototype, 'all');
  onTestFinished(() => run.mockRestore());
  const kinds = ['deletion', 'report', 'share', 'deletion'] as const;
  const due = await Promise.all(kinds.map((kind) => ledger.nextDue(kind)));
  expect(due).toEqual([6_000, null, 2_000, 6_000]);
  expect(run).toHaveBeenCalledTimes(1);
});
