import { expect, it } from 'vitest';
import { inBatches, shareCommits } from '../../src/ledger/calls.ts';
import { recordShares, type ShareToRecord } from '../../src/ledger/record-share.ts';
import { recording } from '../support/builders.ts';
import { openDatabase } from './open-database.ts';

async function opened() {
  const statements: string[] = [];
  const db = await openDatabase((sql) => {
    statements.push(sql);
  });
  statements.length = 0;
  const commits = () => statements.filter((sql) => sql === 'commit').length;
  const { onDisk: run } = shareCommits(db);
  const record = async (input: ShareToRecord) =>
    (await run((trx) => recordShares(trx, [input])))[0];
  const recordInBatches = inBatches(run, recordShares);
  return { run, record, recordInBatches, commits, statements, db };
}

function toRecord(n: number, reportId: number | null = null): ShareToRecord {
  const ts = `1700000000.${String(n).padStart(6, '0')}`;
  return recording({ ts }, { reportId, now: 1 });
}

it('shareCommits commits once for all shares of one turn of the event loop', async () => {
  const { record, commits } = await opened();
  const recorded = await Promise.all(Array.from({ length: 20 }, (_, n) => record(toRecord(n))));
  expect(commits()).toBe(1);
  expect(new Set(recorded.map((one) => one?.shareId)).size).toBe(20);
  await record(toRecord(20));
  expect(commits()).toBe(2);
});

it('shareCommits rejects only the share that cannot be recorded', async () => {
  const { record, db } = await opened();
  const missingReport = 77;
  const results = await Promise.allSettled([
    record(toRecord(1)),
    record(toRecord(2, missingReport)),
    record(toRecord(3)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await db.selectFrom('shares').select('ts').execute()).toHaveLength(2);
});

it('shareCommits records a share once that comes twice in one turn', async () => {
  const { record } = await opened();
  const [first, second] = await Promise.all([record(toRecord(1)), record(toRecord(1))]);
  expect(first).toMatchObject({ transfers: 1 });
  expect(second).toEqual({ shareId: first?.shareId, transfers: 0, firstParkedId: null });
});

it('shareCommits resolves nothing before it is committed', async () => {
  const { run, db } = await opened();
  const order: string[] = [];
  const inTurn = (name: string) =>
    run(async (trx) => {
      order.push(`${name} runs ${trx.isTransaction ? 'with others' : 'alone'}`);
      return name;
    }).then((done) => order.push(`${done} is done`));
  await Promise.all([inTurn('a'), inTurn('b')]);
  await inTurn('c');
  expect(order).toEqual([
    'a runs with others',
    'b runs with others',
    'a is done',
    'b is done',
    'c runs alone',
    'c is done',
  ]);
  expect(db.isTransaction).toBe(false);
});

it('inBatches records all shares of a turn together, and returns each its own result', async () => {
  const { recordInBatches, statements, db } = await opened();
  const inputs = Array.from({ length: 20 }, (_, n) => toRecord(n));
  const recorded = await Promise.all([...inputs, toRecord(7)].map(recordInBatches));
  const inserts = statements.flatMap((sql) => /\binsert into "?(\w+)/.exec(sql)?.[1] ?? []);
  // Shares, transfers, and jobs for their messages, uploads and folders: none for each of the 20.
  expect(inserts).toEqual([...['shares', 'jobs', 'transfers', 'jobs', 'jobs']]);
  const rows = await db.selectFrom('shares').select(['id', 'ts']).execute();
  const idOf = (ts: string) => rows.find((row) => row.ts === ts)?.id;
  expect(recorded.map(({ shareId }) => shareId)).toEqual(
    [...inputs, toRecord(7)].map(({ share }) => idOf(share.ts)),
  );
  expect(recorded.map(({ transfers }) => transfers)).toEqual([...inputs.map(() => 1), 0]);
  expect(await recordInBatches(toRecord(7))).toEqual({
    ...recorded[7],
    transfers: 0,
    firstParkedId: null,
  });
});

it('inBatches records the others of a batch when one cannot be recorded', async () => {
  const { recordInBatches, db } = await opened();
  const results = await Promise.allSettled(
    [toRecord(1), toRecord(2, 77), toRecord(3)].map(recordInBatches),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await db.selectFrom('shares').select('ts').execute()).toHaveLength(2);
  await expect(recordInBatches(toRecord(2, 77))).rejects.toThrow();
});
