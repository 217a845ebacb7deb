import { expect, it } from 'vitest';
import { shareCommits } from '../../src/ledger/calls.ts';
import { recordShare, type ShareToRecord } from '../../src/ledger/record-share.ts';
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
  const record = (input: ShareToRecord) => run((trx) => recordShare(trx, input));
  return { run, record, commits, db };
}

function toRecord(n: number, reportId: number | null = null): ShareToRecord {
  const ts = `1700000000.${String(n).padStart(6, '0')}`;
  return recording({ ts }, { reportId, now: 1 });
}

it('shareCommits commits once for all shares of one turn of the event loop', async () => {
  const { record, commits } = await opened();
  const recorded = await Promise.all(Array.from({ length: 20 }, (_, n) => record(toRecord(n))));
  expect(commits()).toBe(1);
  expect(new Set(recorded.map(({ shareId }) => shareId)).size).toBe(20);
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
  expect(second).toEqual({ shareId: first.shareId, transfers: 0, firstParkedId: null });
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
