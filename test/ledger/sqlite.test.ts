import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { recording } from '../support/builders.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeLedger } from './ledger.contract.ts';

describeLedger('SQLite', () => openEmptyLedger(0));

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
  expect(await levelsOf(ledger.claimMessage(lease))).toEqual(['normal']);
  for (const kind of ['catch-up', 'deletion', 'watch'] as const)
    expect(await levelsOf(ledger.claimRow(kind, lease))).toEqual(['normal']);
  const line = { kind: 'share', about: 1 } as const;
  expect(await levelsOf(ledger.beginPost(line, 't'))).toEqual(['full']);
  const end = { token: 't', againAt: null, failed: false, now: 6_000 };
  expect(await levelsOf(ledger.endMessage(line, end))).toEqual(['normal']);
  // Calls of one turn share a commit: one that waits makes it wait.
  const together = [ledger.recordShare(recording({ ts: '2' })), ledger.claimMessage(lease)];
  expect(await levelsOf(Promise.all(together))).toEqual(['full']);
});

it('SQLite has a write-ahead log, and its commits are on disk unless the ledger says otherwise', async () => {
  const db = new Kysely<unknown>({ dialect: sqliteDialect(temporaryFolder()).kysely });
  const full = 2;
  expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: full }]);
  expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journal_mode: 'wal' }]);
  await db.destroy();
});

const input = (ts: string) => recording({ ts }, { now: 1 });

it('a ledger whose folder is moved away rejects writes and its check until it is back', async () => {
  const folder = temporaryFolder();
  const [dataDir, away] = [join(folder, 'data'), join(folder, 'away')];
  const ledger = await openLedger(sqliteDialect(dataDir), 0);
  onTestFinished(() => ledger.close());
  await ledger.beginRun(0);
  await ledger.recordShare(input('1'));

  renameSync(dataDir, away);
  const gone = { code: 'LEDGER_UNAVAILABLE', message: expect.stringContaining('put it back') };
  await expect(ledger.recordShare(input('2'))).rejects.toMatchObject(gone);
  await expect(ledger.check()).rejects.toMatchObject(gone);
  // A single statement that returns what it wrote, outside a transaction, is rejected too.
  const channel = { team: 'T1', channel: 'C1' };
  await expect(ledger.confirmUpTo(channel, '1')).rejects.toMatchObject(gone);

  mkdirSync(dataDir);
  const other = await openLedger(sqliteDialect(dataDir), 0);
  await expect(ledger.recordShare(input('2'))).rejects.toMatchObject(gone);
  await other.close();

  rmSync(dataDir, { recursive: true });
  renameSync(away, dataDir);
  await expect(ledger.recordShare(input('2'))).resolves.toMatchObject({ transfers: 1 });
  await expect(ledger.check()).resolves.toBeUndefined();
});
