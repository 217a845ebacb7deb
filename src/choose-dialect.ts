import type { Logger } from './base/index.ts';
import type { Config } from './config.ts';
import { type Dialect, postgresDialect, postgresPool, sqliteDialect } from './ledger/index.ts';

/** The database that the settings name: PostgreSQL at its address, else SQLite in `dataDir`. */
export function chooseDialect({ databaseUrl, dataDir }: Config, logger: Logger): Dialect {
  if (databaseUrl === null) return sqliteDialect(dataDir);
  const onError = (error: Error) => logger.warn({ error }, 'A database connection was lost');
  return postgresDialect(postgresPool(databaseUrl, onError));
}
