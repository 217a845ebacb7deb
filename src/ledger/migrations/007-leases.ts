import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';

/** Messages to Slack are due under the lease that transfers are due under: see lease.ts. */
export async function addLeases(db: Kysely<Tables>): Promise<void> {
  await leaseMessages(db, 'shares');
  await leaseMessages(db, 'reports');
  await dropIndexes(db, ['sharesToTell', 'sharesToTellSpokenFor', 'reportsToTell']);
  const due = (name: string, table: string) =>
    db.schema.createIndex(name).on(table).column('dueAt').where(sql.ref('dueAt'), 'is not', null);
  // Two, as shares that a report speaks for come when no other share is due.
  await due('sharesDue', 'shares').where(sql.ref('reportId'), 'is', null).execute();
  await due('sharesDueSpokenFor', 'shares').where(sql.ref('reportId'), 'is not', null).execute();
  await due('reportsDue', 'reports').execute();
}

async function leaseMessages({ schema }: Kysely<Tables>, name: 'shares' | 'reports') {
  const table = () => schema.alterTable(name);
  await table().renameColumn('tellAt', 'dueAt').execute();
  await table().renameColumn('tellToken', 'leaseToken').execute();
  await table().renameColumn('tellVersion', 'version').execute();
  await table().renameColumn('tellFailures', 'failures').execute();
  await table().renameColumn('told', 'fingerprint').execute();
  await table()
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createIndex(`${name}Leased`)
    .on(name)
    .column('leaseToken')
    .where(sql.ref('leaseToken'), 'is not', null)
    .execute();
}

async function dropIndexes({ schema }: Kysely<Tables>, names: string[]): Promise<void> {
  for (const name of names) await schema.dropIndex(name).execute();
}
