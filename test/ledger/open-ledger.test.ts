import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  openLedger,
  postgresDialect,
  postgresPool,
  sqliteDialect,
} from '../../src/ledger/index.ts';
import { folderLink, recording } from '../support/builders.ts';
import { heldCatchUp, holdMessage } from '../support/claim-next.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const refused = (run: () => Promise<unknown>): Promise<Error> =>
  run().then(
    () => expect.unreachable('it opened'),
    (error: Error) => error,
  );

const makeTheirs = (path: string) => {
  const theirs = new DatabaseSync(path);
  theirs.exec('create table shares (price)');
  theirs.close();
};

it.each([
  ['belongs to another program', makeTheirs, /another program.*choose another DATA_DIR/],
  [
    'is no database',
    (path: string) => writeFileSync(path, 'garbage '.repeat(1_024)),
    /pigeonhole\.sqlite isn’t a database; restore it or move it away/,
  ],
])('openLedger says that its file %s', async (_what, make, words) => {
  const dataDir = temporaryFolder();
  make(join(dataDir, 'pigeonhole.sqlite'));
  const error = await refused(async () => openLedger(sqliteDialect(dataDir), 0));
  expect(error).toMatchObject({ code: 'LEDGER_CORRUPT' });
  expect(error.message).toMatch(words);
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
  const error = await refused(() => openLedger(sqliteDialect(dataDir), 0));
  cut.mockRestore();
  expect(error.message).toContain('cut off');

  const next = await openLedger(sqliteDialect(dataDir), 0);
  await expect(next.nextDue('folder')).resolves.toBeNull();
  await next.close();
});

it('openLedger promises no retry when it fails, as that ends the start', async () => {
  const pool = postgresPool('postgres://127.0.0.1:9/none', () => undefined);
  const error = await refused(() => openLedger(postgresDialect(pool), 0));
  expect(error.message).toMatch(/check DATABASE_URL.*ECONNREFUSED/);
  expect(error.message).not.toContain('DATA_DIR');
  expect(error.message).not.toContain('tried again');
});

it('openLedger after a crash frees all claims, but that of a begun reply only when its lease ends', async () => {
  const channel = { team: 'T1', channel: 'C1' };
  const dataDir = temporaryFolder();
  const crashed = await openLedger(sqliteDialect(dataDir), 0);
  await crashed.beginRun(0);
  await crashed.setLink(channel, folderLink());
  await crashed.setWatched(channel, { on: true, now: 0 });
  await crashed.recordShare(recording());
  await crashed.recordDeletions([{ team: 'T1', fileId: 'F2' }], 0);
  await crashed.beginBackfill(channel, { startedBy: 'U1', now: 0 });
  const claim = { now: 3_000, until: 63_000, token: 'dead', afterQueue: '', largest: null };
  expect(await crashed.claimFiling(claim)).not.toBeNull();
  await heldCatchUp(crashed, channel);
  const kinds = ['backfill', 'deletion', 'watch'] as const;
  for (const kind of kinds) expect(await crashed.claimRow(kind, claim), kind).toBeDefined();
  for (const token of ['dead', 'dead2']) {
    const { kind, about } = await holdMessage(crashed, { ...claim, token });
    await crashed.beginPost({ kind, about }, token);
  }
  await crashed.close();

  const next = await openLedger(sqliteDialect(dataDir), 4_000);
  onTestFinished(() => next.close());
  expect(await next.nextFiling({ largest: null })).toMatchObject({ dueAt: 4_000 });
  expect(await next.nextDue('message')).toBe(63_000);
  const mine = { ...claim, now: 4_000, token: 'mine' };
  expect(await next.claimFiling(mine)).toMatchObject({ kind: 'upload', attempts: 2 });
  for (const kind of [...kinds, 'catch-up'] as const)
    expect(await next.claimRow(kind, mine), kind).toBeDefined();
});
