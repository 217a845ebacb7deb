import { CamelCasePlugin, Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { migrate } from '../../src/ledger/open-ledger.ts';
import type { Tables } from '../../src/ledger/schema.ts';
import { sqliteDialect } from '../../src/ledger/sqlite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Opens an empty database under the ledger; `onStatement` gets each statement after its run. */
export async function openDatabase(onStatement: (sql: string) => void = () => undefined) {
  const dialect = sqliteDialect(temporaryFolder());
  const db = new Kysely<Tables>({
    dialect: dialect.kysely,
    plugins: [new CamelCasePlugin()],
    log: ({ query }) => onStatement(query.sql),
  });
  onTestFinished(async () => {
    await db.destroy();
  });
  await migrate(db, dialect);
  return db;
}
