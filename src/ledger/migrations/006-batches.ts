import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';

const FILING = sql<boolean>`due_at is not null and state in ('recorded', 'uploaded')`;
const OPEN = sql<boolean>`due_at is not null and state in ('creating', 'created')`;

/**
 * Transfers are claimed a piece at a time: a file to upload, all attachments of a folder to create, all
 * its open creates to look for. `attempts` counts the claims since a transfer last came on.
 */
export async function addBatches(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  const table = () => schema.alterTable('transfers');
  await table().renameColumn('nextAt', 'dueAt').execute();
  await table().addColumn('slackSize', 'bigint').execute();
  await table().addColumn('uploadedAt', 'bigint').execute();
  await table()
    .addColumn('alone', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  const lost = sql<number>`losses + case when lease_token is null then 0 else 1 end`;
  await db
    .updateTable('transfers')
    .set({ attempts: sql<number>`failures + ${lost}` })
    .where('dueAt', 'is not', null)
    .execute();
  await table().dropColumn('losses').execute();
  await createIndexes(db);
}

// One queue of work each: what is looked for is found among any number of files to upload.
async function createIndexes({ schema }: Kysely<Tables>): Promise<void> {
  await schema.dropIndex('transfersDue').execute();
  const index = (name: string) => schema.createIndex(name).on('transfers');
  await index('transfersFiling').columns(['queue', 'dueAt', 'id']).where(FILING).execute();
  await index('transfersOpen').columns(['queue', 'dueAt', 'id']).where(OPEN).execute();
  await index('transfersNextLook').column('dueAt').where(OPEN).execute();
  await index('transfersUploaded')
    .columns(['projectId', 'folderId', 'name', 'byteSize'])
    .where(sql.ref('state'), '=', sql.lit('uploaded'))
    .execute();
}
