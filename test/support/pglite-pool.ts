import type { PGlite } from '@electric-sql/pglite';
import type { PostgresPool } from 'kysely';

/** A pool of one: connections take turns on the engine's one session. */
export function pglitePool(db: PGlite): PostgresPool {
  let last = Promise.resolve();
  return {
    connect: async () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = before.then(() => promise);
      await before;
      return {
        query: async (text: string, values: readonly unknown[]) => {
          const { rows, affectedRows } = await db.query(text, [...values], PARSERS);
          const command = text.trimStart().slice(0, 6).toUpperCase();
          return { rows, rowCount: affectedRows ?? rows.length, command };
        },
        release: resolve,
      };
    },
    end: async () => undefined,
  } as PostgresPool;
}

const PARSERS = { parsers: { 20: Number } };
