import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';

const holdsPlace = sql<boolean>`(state in ('creating', 'created')
  or (refused_in = 'creating' and problem <> 'RECORD_SIZE_MISMATCH'))`;

/**
 * What was answered with success is not created again: how often a file's create was sent, and which
 * records were there before. How often it was uploaded bounds nothing any more.
 */
export async function addCreated(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('transfers')
    .addColumn('creates', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('transfers').addColumn('lastRecord', 'bigint').execute();
  await schema.alterTable('transfers').dropColumn('uploads').execute();
  await db
    .updateTable('transfers')
    .set({ creates: 1 })
    .where('creatingSince', 'is not', null)
    .execute();
  await fileTaken(db);
  await schema.dropIndex('transfersCreating').execute();
  await schema
    .createIndex('transfersCreating')
    .unique()
    .on('transfers')
    .columns(['projectId', 'folderId', 'name', 'byteSize'])
    .where(holdsPlace)
    .execute();
}

// They were answered with success, if with a record that another file has.
async function fileTaken(db: Kysely<Tables>): Promise<void> {
  await db
    .updateTable('transfers')
    .set({ state: 'filed', refusedIn: null, problem: null, problemNote: null })
    .where('state', '=', 'refused')
    .where('problem', '=', 'RECORD_TAKEN')
    .execute();
}
