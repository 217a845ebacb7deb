import type { SchemaModule } from 'kysely';

/** When somebody was notified that the service does not accept the key: see waiting-for-key.ts. */
export async function addKeyNotice(schema: SchemaModule): Promise<void> {
  await schema.alterTable('runs').addColumn('keyNoticeAt', 'bigint').execute();
}
