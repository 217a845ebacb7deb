import { expect, it } from 'vitest';
import { recordShares } from '../../src/ledger/record-share.ts';
import { atomically, inChunks } from '../../src/ledger/run-statements.ts';
import { recording } from '../support/builders.ts';
import { openDatabase } from './open-database.ts';

it.each(['40P01', '40001'])(
  'atomically repeats a transaction that the database rolled back in favor of another: %s',
  async (code) => {
    const db = await openDatabase();
    let tries = 0;
    const recorded = atomically(db, async (trx) => {
      tries += 1;
      await recordShares(trx, [recording({ ts: `1700000000.00000${tries}` })]);
      if (tries < 3) throw Object.assign(new Error('undone'), { code });
      return tries;
    });
    expect(await recorded).toBe(3);
    expect(await db.selectFrom('shares').select('ts').execute()).toHaveLength(1);
  },
);

it.each([
  ['failed for another reason', '23505', 1],
  ['is undone again and again', '40P01', 5],
])('atomically gives up a transaction that %s', async (_, code, most) => {
  const db = await openDatabase();
  let tries = 0;
  const failing = atomically(db, async () => {
    tries += 1;
    throw Object.assign(new Error('undone'), { code });
  });
  await expect(failing).rejects.toMatchObject({ code });
  expect(tries).toBe(most);
});

it('inChunks returns all rows, also of a statement that returns very many', async () => {
  const rows = Array.from({ length: 200_000 }, (_, nth) => nth);
  expect(await inChunks(['C1'], async () => rows)).toEqual(rows);
});
