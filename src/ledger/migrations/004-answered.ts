import type { SchemaModule } from 'kysely';

/** When an open create was answered with an error: what it did is done by then. */
export async function addAnswered(schema: SchemaModule): Promise<void> {
  await schema.alterTable('transfers').addColumn('answeredAt', 'bigint').execute();
}
