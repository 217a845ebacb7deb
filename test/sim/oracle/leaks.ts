import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import inject from 'light-my-request';
import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import type { AppInstance, Machine } from '../world/machine.ts';
import type { Oracle } from './oracle.ts';

const METRICS_MS = 5_000;
const IN_WINDOW = /^pigeonhole_requests_in_window (\d+)$/m;

/** How often to look: the slots of calls that are still under way come back meanwhile. */
const LOOKS = 5;
const BETWEEN_MS = 13_000;

/** Checks that no instance holds a slot at rest, as its metrics show it. */
export async function checkSlots(machines: readonly Machine[], oracle: Oracle): Promise<void> {
  // Requests for shares that nobody waits for may still be under way.
  if (!oracle.isQuiet()) return;
  for (const { instance, name } of machines) {
    const held = instance && (await fewestHeld(instance));
    if (held !== null && held !== 0) oracle.fail('every slot is released', `${name} holds ${held}`);
  }
}

async function fewestHeld(instance: AppInstance): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let look = 1; look <= LOOKS && fewest > 0; look += 1) {
    if (look > 1) await runUntil(() => false, virtualNow() + BETWEEN_MS);
    const text = await metricsOf(instance);
    if (text === null) return 0;
    fewest = Math.min(fewest, Number(IN_WINDOW.exec(text)?.[1] ?? Number.NaN));
  }
  return fewest;
}

async function metricsOf(instance: AppInstance): Promise<string | null> {
  const listener = instance.listener();
  if (!listener) return null;
  let text: string | null = null;
  void instance.process
    .run(() => inject(listener, { method: 'GET', url: '/metrics' }))
    .then((response) => (text = response.payload));
  await runUntil(() => text !== null, virtualNow() + METRICS_MS);
  return text;
}

/**
 * Counts the rows that are still claimed in a ledger that nobody has open, by table and column; with
 * `after`, only those whose lease ends later, in epoch milliseconds.
 */
export function heldLeases(dataDir: string, after?: number): string[] {
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
  return database
    .prepare(
      `select tables.name as "table", columns.name as "column"
         from sqlite_master tables, pragma_table_info(tables.name) columns
        where tables.type = 'table' and columns.name like '%\\_token' escape '\\'`,
    )
    .all() as { table: string; column: string }[];
}
