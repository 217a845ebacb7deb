import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Counts the rows that are still claimed in a ledger that nobody has open, by table and column; with
 * `after`, only those whose lease ends later, in epoch milliseconds.
 */
export function leasesLeft(dataDir: string, after?: number): string[] {
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'), { readOnly: true });
  try {
    return tokenColumns(database).flatMap(({ table, column }) => {
      const counted = database
        .prepare(
          `select count(*) as held from "${table}"
            where "${column}" is not null and (?1 is null or due_at > ?1)`,
        )
        .get(after ?? null);
      const held = Number(counted?.['held']);
      return held === 0 ? [] : [`${held} rows by ${table}.${column}`];
    });
  } finally {
    database.close();
  }
}

// Claims are held in token columns, which are recognizable by name.
function tokenColumns(database: DatabaseSync): { table: string; column: string }[] {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  return tables.flatMap(({ name }) =>
    database
      .prepare(
        `select name from pragma_table_info('${name}') where name like '%\\_token' escape '\\'`,
      )
      .all()
      .map((column) => ({ table: String(name), column: String(column['name']) })),
  );
}
