import { type KyselyPlugin, UpdateQueryNode } from 'kysely';
import { expect, it } from 'vitest';
import { endHold } from '../../src/ledger/holds.ts';
import { openDatabase } from './open-database.ts';

it('the end of a hold makes its jobs due again, also where that deadlocks at first', async () => {
  const db = await openDatabase();
  const hold = { scope: '1/2', reason: 'DESTINATION_GONE', since: 1_000 } as const;
  await db.insertInto('holds').values(hold).execute();
  const job = { kind: 'folder', key: '1/2', scope: '1/2', queue: '-' } as const;
  await db
    .insertInto('jobs')
    .values({ ...job, dueAt: null, againAt: 4_000 })
    .execute();
  let deadlocks = 1;
  const deadlocking: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (
        UpdateQueryNode.is(node) &&
        JSON.stringify(node.table).includes('"jobs"') &&
        deadlocks-- > 0
      )
        throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  expect(await endHold(db.withPlugin(deadlocking), '1/2', 5_000)).toBe(true);
  expect(deadlocks).toBe(-1);
  expect(await db.selectFrom('jobs').select('dueAt').execute()).toEqual([{ dueAt: 4_000 }]);
});
