import { type CreateTableBuilder, type SchemaModule, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';

const holdsPlace = sql<boolean>`(state = 'creating' or (refused_in = 'creating'
  and problem not in ('RECORD_SIZE_MISMATCH', 'RECORD_TAKEN')))`;

export async function createFirstTables(schema: SchemaModule, dialect: Dialect): Promise<void> {
  await createRuns(schema);
  await createChannels(schema);
  await createReports(schema, dialect);
  await createShares(schema, dialect);
  await createTransfers(schema, dialect);
}

async function createRuns(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('runs')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('startedAt', 'bigint', (c) => c.notNull())
    .addColumn('endedAt', 'bigint')
    .addColumn('awaySince', 'text')
    .addColumn('ballast', 'text')
    .execute();
}

async function createChannels(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('channels')
    .addColumn('team', 'text', (c) => c.notNull())
    .addColumn('channel', 'text', (c) => c.notNull())
    .addColumn('projectId', 'bigint')
    .addColumn('folderId', 'bigint')
    .addColumn('folderName', 'text')
    .addColumn('linkedBy', 'text')
    .addColumn('linkedAt', 'bigint')
    .addColumn('confirmedTs', 'text')
    .addColumn('catchUpUntil', 'bigint')
    .addColumn('caughtUpAt', 'bigint')
    .addColumn('hintedOn', 'text')
    .addPrimaryKeyConstraint('channelsKey', ['team', 'channel'])
    .execute();
}

async function createReports(schema: SchemaModule, dialect: Dialect): Promise<void> {
  const table = schema
    .createTable('reports')
    .addColumn('id', dialect.idType, dialect.id)
    .addColumn('team', 'text', (c) => c.notNull())
    .addColumn('channel', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('startedBy', 'text')
    .addColumn('startedAt', 'bigint', (c) => c.notNull())
    .addColumn('stopped', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('readUntil', 'bigint')
    .addColumn('readToken', 'text')
    .addColumn('readTo', 'text')
    .addColumn('readFailures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('readProblem', 'text');
  await addTelling(table).execute();
  await schema
    .createIndex('reportsToTell')
    .on('reports')
    .column('tellAt')
    .where(sql.ref('tellAt'), 'is not', null)
    .execute();
  // A channel's history is read under one report at a time.
  await schema
    .createIndex('reportsReading')
    .unique()
    .on('reports')
    .columns(['team', 'channel'])
    .where(sql.ref('readUntil'), 'is not', null)
    .execute();
}

async function createShares(schema: SchemaModule, dialect: Dialect): Promise<void> {
  const table = schema
    .createTable('shares')
    .addColumn('id', dialect.idType, dialect.id)
    .addColumn('team', 'text', (c) => c.notNull())
    .addColumn('channel', 'text', (c) => c.notNull())
    .addColumn('ts', 'text', (c) => c.notNull())
    .addColumn('threadTs', 'text')
    .addColumn('userId', 'text')
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('reportId', 'bigint', (c) => c.references('reports.id'))
    .addColumn('reaction', 'text')
    .addColumn('reactionBegun', 'text')
    .addColumn('recordedAt', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('sharesMessage', ['team', 'channel', 'ts']);
  await addTelling(table).execute();
  await createShareTellingIndexes(schema);
  await schema
    .createIndex('sharesReport')
    .on('shares')
    .column('reportId')
    .where(sql.ref('reportId'), 'is not', null)
    .execute();
}

async function createTransfers(schema: SchemaModule, dialect: Dialect): Promise<void> {
  await schema
    .createTable('transfers')
    .addColumn('id', dialect.idType, dialect.id)
    .addColumn('shareId', 'bigint', (c) => c.notNull().references('shares.id'))
    .addColumn('queue', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('slackFileId', 'text', (c) => c.notNull())
    .addColumn('slackFile', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('userId', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('refusedIn', 'text')
    .addColumn('projectId', 'bigint')
    .addColumn('folderId', 'bigint')
    .addColumn('attachmentId', 'bigint')
    .addColumn('byteSize', 'bigint')
    .addColumn('serviceTime', 'bigint')
    .addColumn('uploads', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('creatingSince', 'bigint')
    .addColumn('recordId', 'bigint')
    .addColumn('deletedBy', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('losses', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failingSince', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('problemNote', 'text')
    .addColumn('nextAt', 'bigint')
    .addColumn('leaseToken', 'text')
    .addColumn('recordedAt', 'bigint', (c) => c.notNull())
    .addColumn('settledAt', 'bigint')
    .addUniqueConstraint('transfersFile', ['shareId', 'slackFileId'])
    .execute();
  await createTransferIndexes(schema);
}

// The queue of work is small beside a million settled rows: these indexes hold only what is live.
async function createTransferIndexes(schema: SchemaModule): Promise<void> {
  await schema
    .createIndex('transfersDue')
    .on('transfers')
    .columns(['queue', 'nextAt', 'id'])
    .where(sql.ref('nextAt'), 'is not', null)
    .execute();
  await schema
    .createIndex('transfersNext')
    .on('transfers')
    .column('nextAt')
    .where(sql.ref('nextAt'), 'is not', null)
    .execute();
  await schema
    .createIndex('transfersLeased')
    .on('transfers')
    .column('leaseToken')
    .where(sql.ref('leaseToken'), 'is not', null)
    .execute();
  await schema
    .createIndex('transfersParked')
    .on('transfers')
    .column('queue')
    .where(sql.ref('state'), '=', sql.lit('parked'))
    .execute();
  // One name and size is on its way into a folder at a time: a reconciliation cannot mistake twins.
  await schema
    .createIndex('transfersCreating')
    .unique()
    .on('transfers')
    .columns(['projectId', 'folderId', 'name', 'byteSize'])
    .where(holdsPlace)
    .execute();
  await schema
    .createIndex('transfersRecord')
    .unique()
    .on('transfers')
    .columns(['projectId', 'folderId', 'recordId'])
    .where(sql.ref('recordId'), 'is not', null)
    .execute();
}

function addTelling<T extends string>(table: CreateTableBuilder<T, string>) {
  return table
    .addColumn('tellAt', 'bigint')
    .addColumn('tellVersion', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('tellToken', 'text')
    .addColumn('tellFailures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('replyTs', 'text')
    .addColumn('replyBegun', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('told', 'text');
}

// Two, as shares that a report speaks for are told when no other share is due.
async function createShareTellingIndexes(schema: SchemaModule): Promise<void> {
  const toTell = (name: string) =>
    schema.createIndex(name).on('shares').column('tellAt').where(sql.ref('tellAt'), 'is not', null);
  await toTell('sharesToTell').where(sql.ref('reportId'), 'is', null).execute();
  await toTell('sharesToTellSpokenFor').where(sql.ref('reportId'), 'is not', null).execute();
}
