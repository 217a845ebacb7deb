import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  openLedger,
  postgresDialect,
  postgresPool,
  sqliteDialect,
} from '../../src/ledger/index.ts';
import { toLedgerError } from '../../src/ledger/ledger-error.ts';
import { recording } from '../support/shares.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const refused = (run: () => Promise<unknown>): Promise<Error> =>
  run().then(
    () => expect.unreachable('it opened'),
    (error: Error) => error,
  );

it('openLedger says that a database belongs to another program', async () => {
  const dataDir = temporaryFolder();
  const theirs = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  theirs.exec('create table shares (price)');
  theirs.close();
  const error = await refused(() => openLedger(sqliteDialect(dataDir), 0));
  expect(error).toMatchObject({ code: 'LEDGER_CORRUPT' });
  expect(error.message).toMatch(/another program.*choose another DATA_DIR/);
  expect(error.message).not.toContain('tried again');
});

it('openLedger works after a first start that was cut off while it made the tables', async () => {
  const dataDir = temporaryFolder();
  const { run } = StatementSync.prototype;
  const cut = vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
    this: StatementSync,
    ...args: unknown[]
  ) {
    if (this.sourceSQL.startsWith('create table transfers')) throw new Error('cut off');
    return Reflect.apply(run, this, args);
  });
  const dialect = sqliteDialect(dataDir);
  const error = await refused(() => openLedger(dialect, 0));
  cut.mockRestore();
  expect(error.message).toContain('cut off');
  const driver = dialect.kysely.createDriver();
  await driver.init();
  await driver.destroy();

  const next = await openLedger(sqliteDialect(dataDir), 0);
  await expect(next.nextDue('looks')).resolves.toBeNull();
  await next.close();
});

it('openLedger promises no retry when it fails, as that ends the start', async () => {
  const pool = postgresPool('postgres://127.0.0.1:9/none', () => undefined);
  const error = await refused(() => openLedger(postgresDialect(pool), 0));
  expect(error.message).toMatch(/check DATABASE_URL.*ECONNREFUSED/);
  expect(error.message).not.toContain('DATA_DIR');
  expect(error.message).not.toContain('tried again');
});

it('toLedgerError does not report an unreachable PostgreSQL as an unwritable folder', () => {
  const away = Object.assign(new Error('connect EPERM'), { code: 'EPERM', syscall: 'connect' });
  const { message } = toLedgerError(away, { setting: 'DATABASE_URL' });
  expect(message).toBe(
    'database: it cannot be reached; check DATABASE_URL, and start again (connect EPERM)',
  );
});

it.each([
  ['EROFS', /its disk is not mounted read-only/],
  ['EACCES', /check its rights/],
  ['ENOENT', /DATA_DIR cannot be made there/],
  ['EIO', /check DATA_DIR, and start again/],
])('toLedgerError names the remedy for a folder that fails with %s', (code, words) => {
  const { message } = toLedgerError(Object.assign(new Error(code), { code, syscall: 'mkdir' }), {
    where: '/data',
    setting: 'DATA_DIR',
  });
  expect(message).toMatch(/^\/data: /);
  expect(message).toMatch(words);
  expect(message).not.toContain('tried again');
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
