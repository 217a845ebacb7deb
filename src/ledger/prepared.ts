import type { CompiledQuery } from 'kysely';
import type { Db } from './schema.ts';

/** Stands for a value in a statement that was compiled before its values were known. */
class Placeholder {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** Runs a statement with these values; returns its rows. */
export type Prepared<Values, Row> = (db: Db, values: Values) => Promise<Row[]>;

/**
 * Returns a function that runs a statement with the given values, and compiles it only once for
 * each database: Kysely takes longer to compile what each file needs than SQLite takes to run it.
 * `build` may use each value only as a whole, where a statement takes a value.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Values) => CompiledQuery<Row>,
): Prepared<Values, Row> {
  const statements = new WeakMap<object, CompiledQuery<Row>>();
  const placeholders = new Proxy({} as Values, { get: (_, name) => new Placeholder(name) });
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    const statement = statements.get(adapter) ?? build(db, placeholders);
    statements.set(adapter, statement);
    const parameters = statement.parameters.map((one) =>
      one instanceof Placeholder ? Reflect.get(values, one.name) : one,
    );
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}
