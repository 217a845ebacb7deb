import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Dialect } from './dialect.ts';

// Identifiers and times are bigint columns, all far below 2^53.
const BIGINT = 20;
pg.types.setTypeParser(BIGINT, Number);

/** PostgreSQL, shared by any number of instances. */
export function postgresDialect(pool: PostgresPool): Dialect {
  return {
    name: 'postgres',
    kysely: new PostgresDialect({ pool: mendedPool(pool) }),
    idType: 'bigint',
    id: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
    exclusive: false,
    sharesCommits: false,
  };
}

/**
 * Connections to the database at `url`. One that is lost is replaced, never thrown: `onError` hears
 * of it, and a statement that was under way rejects.
 */
export function postgresPool(url: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'pigeonhole',
  });
  // The pool tells of its idle connections alone; one in use that nobody listens to ends the process.
  pool.on('connect', (client) => void client.on('error', onError));
  pool.on('error', () => undefined);
  return pool;
}

/**
 * The same pool, for text that comes from outside: the NUL character, which PostgreSQL takes in no
 * text, becomes the replacement character.
 */
function mendedPool(pool: PostgresPool): PostgresPool {
  return {
    connect: async () => mendedClient(await pool.connect()),
    end: () => pool.end(),
  };
}

function mendedClient(client: PostgresPoolClient): PostgresPoolClient {
  return new Proxy(client, {
    get(target, key): unknown {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...rest: unknown[]): unknown =>
        Reflect.apply(value, target, key === 'query' ? rest.map(mendedAll) : rest);
    },
  });
}

function mendedAll(values: unknown): unknown {
  return Array.isArray(values) ? values.map(mended) : values;
}

function mended(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
