import { type Kysely, type SchemaModule, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** Messages to Slack and readings of its history are due under the lease that transfers are: see lease.ts. */
export async function addLeases(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await createReadings(db, dialect);
  await moveReadings(db);
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
  await indexLeases(schema, name);
}

async function indexLeases(schema: SchemaModule, table: string): Promise<void> {
  await schema
    .createIndex(`${table}Leased`)
    .on(table)
    .column('leaseToken')
    .where(sql.ref('leaseToken'), 'is not', null)
    .execute();
}

async function createReadings({ schema }: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await schema
    .createTable('readings')
    .addColumn('id', dialect.idType, dialect.id)
    .addColumn('team', 'text', (c) => c.notNull())
    .addColumn('channel', 'text', (c) => c.notNull())
    .addColumn('reportId', 'bigint', (c) => c.references('reports.id').unique())
    .addColumn('since', 'text')
    .addColumn('neededAt', 'bigint')
    .addColumn('readTo', 'text')
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('problem', 'text')
    .addColumn('dueAt', 'bigint')
    .addColumn('leaseToken', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await indexLeases(schema, 'readings');
  // A channel is caught up once at a time, and its history read for one backfill at a time.
  const one = (name: string) =>
    schema.createIndex(name).unique().on('readings').columns(['team', 'channel']);
  await one('readingsCatchUp').where(sql<boolean>`report_id is null`).execute();
  await one('readingsBackfill')
    .where(sql<boolean>`report_id is not null and due_at is not null`)
    .execute();
}

// Those that are not over, with the claims on them, and what is shown of those that failed.
async function moveReadings(db: Kysely<Tables>): Promise<void> {
  await sql`insert into readings
    (team, channel, report_id, read_to, failures, problem, due_at, lease_token)
    select team, channel, id, read_to, read_failures, read_problem, read_until, read_token
    from reports where kind = 'backfill'`.execute(db);
  await db.schema.dropIndex('reportsReading').execute();
  for (const column of ['readUntil', 'readToken', 'readTo', 'readFailures', 'readProblem'])
    await db.schema.alterTable('reports').dropColumn(column).execute();
  for (const column of ['catchUpUntil', 'caughtUpAt', 'hintedOn'])
    await db.schema.alterTable('channels').dropColumn(column).execute();
}

async function dropIndexes({ schema }: Kysely<Tables>, names: string[]): Promise<void> {
  for (const name of names) await schema.dropIndex(name).execute();
}
