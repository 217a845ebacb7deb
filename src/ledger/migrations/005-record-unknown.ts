import { type SchemaModule, sql } from 'kysely';

/** Whoever looks for the record of a create asks which others of the folder are filed without theirs. */
export async function indexRecordUnknown(schema: SchemaModule): Promise<void> {
  await schema
    .createIndex('transfersRecordUnknown')
    .on('transfers')
    .columns(['projectId', 'folderId'])
    .where(sql<boolean>`(state = 'filed' and record_id is null)`)
    .execute();
}
