import { type SchemaModule, sql } from 'kysely';

/** When somebody was notified that the service does not accept the key: see waiting-for-key.ts. */
export async function addKeyNotice(schema: SchemaModule): Promise<void> {
  await schema.alterTable('runs').addColumn('keyNoticeAt', 'bigint').execute();
}

/** When an open create was answered with an error: what it did is done by then. */
export async function addAnswered(schema: SchemaModule): Promise<void> {
  await schema.alterTable('transfers').addColumn('answeredAt', 'bigint').execute();
}

/** Whoever looks for the record of a create asks which others of the folder are filed without theirs. */
export async function indexRecordUnknown(schema: SchemaModule): Promise<void> {
  await schema
    .createIndex('transfersRecordUnknown')
    .on('transfers')
    .columns(['projectId', 'folderId'])
    .where(sql<boolean>`(state = 'filed' and record_id is null)`)
    .execute();
}
