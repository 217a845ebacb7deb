import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { recording } from '../support/shares.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeLedger } from './ledger.contract.ts';

describeLedger('SQLite', () => openEmptyLedger(0));

it('openLedger after a crash makes a transfer due at once, and a begun reply when its lease ends', async () => {
  const dataDir = temporaryFolder();
  const crashed = await openLedger(sqliteDialect(dataDir), 0);
  const { shareId } = await crashed.recordShare(recording());
  const lease = { now: 1_000, until: 31_000, token: 't' };
  await crashed.claimFiling({ ...lease, afterQueue: '', largest: null });
  await crashed.claimRow('shares', { now: 3_000, until: 63_000, token: 't' });
  await crashed.beginReply({ table: 'shares', id: shareId, token: 't' });
  await crashed.close();

  const next = await openLedger(sqliteDialect(dataDir), 4_000);
  onTestFinished(() => next.close());
  expect(await next.nextFiling({ largest: null })).toMatchObject({ dueAt: 4_000 });
  expect(await next.nextDue('shares')).toBe(63_000);
});

it('a commit waits for the disk, unless what it writes comes about again after a power failure', async () => {
  const ledger = await openEmptyLedger(0);
  onTestFinished(() => ledger.close());
  let level = 'full';
  const levels: string[] = [];
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  exec.mockImplementation(function (this: DatabaseSync, text) {
    level = /synchronous = (\w+)/.exec(text)?.[1] ?? level;
    return this.prepare(text).run();
  });
  const runs = (['run', 'all'] as const).map((name) => {
    const run = StatementSync.prototype[name];
    return vi.spyOn(StatementSync.prototype, name).mockImplementation(function (
      this: StatementSync,
      ...values
    ) {
      if (/^(insert|update|commit)/.test(this.sourceSQL)) levels.push(level);
      return Reflect.apply(run, this, values);
    });
  });
  onTestFinished(() => {
    for (const spy of [exec, ...runs]) spy.mockRestore();
  });
  const levelsOf = async (call: Promise<unknown>) => {
    await call;
    return [...new Set(levels.splice(0))];
  };

  const lease = { now: 5_000, until: 65_000, token: 't' };
  expect(await levelsOf(ledger.recordShare(recording()))).toEqual(['full']);
  for (const kind of ['shares', 'reports', 'catch-up', 'deletions', 'watches'] as const)
    expect(await levelsOf(ledger.claimRow(kind, lease))).toEqual(['normal']);
  const claim = { table: 'shares' as const, id: 1, token: 't' };
  expect(await levelsOf(ledger.beginReply(claim))).toEqual(['full']);
  const end = { version: 0, fingerprint: null, againAt: null, failed: false, now: 6_000 };
  expect(await levelsOf(ledger.finishNotification(claim, end))).toEqual(['normal']);
  // Calls of one turn share a commit: one that waits makes it wait.
  const together = [ledger.recordShare(recording({ ts: '2' })), ledger.claimRow('shares', lease)];
  expect(await levelsOf(Promise.all(together))).toEqual(['full']);
});
