import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** Runs statements all or none: in the transaction that `db` is, or else in one of their own. */
export function atomically<T>(
  db: Kysely<Tables>,
  run: (trx: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return db.isTransaction ? run(db) : db.transaction().execute(run);
}
