import type { PostgresPool, PostgresPoolClient } from 'kysely';

/**
 * The same pool, for text that comes from outside: the NUL character, which PostgreSQL takes in no
 * text, becomes the replacement character.
 */
export function mendedPool(pool: PostgresPool): PostgresPool {
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
