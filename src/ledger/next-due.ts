import { type RawBuilder, sql } from 'kysely';
import { DELETIONS } from './deletions.ts';
import { OWN, REPORTS, SPOKEN_FOR } from './notifications.ts';
import { READINGS } from './readings.ts';
import type { Db } from './schema.ts';
import { OPEN } from './transfer.ts';
import { WATCHES } from './watches.ts';

/** What comes due, as tables and their WHEREs: see firstDue. Two where each goes by an index of its own. */
const KINDS = {
  looks: [sql`transfers where ${OPEN} and`],
  shares: [OWN, SPOKEN_FOR],
  reports: [REPORTS],
  'catch-up': [READINGS['catch-up']],
  backfill: [READINGS.backfill],
  deletions: [DELETIONS],
  watches: [WATCHES],
} satisfies Record<string, RawBuilder<unknown>[]>;

export type DueKind = keyof typeof KINDS;

/**
 * When the next of each of these kinds comes due, or the lease on it ends; null where none waits. One
 * statement for all that ask at once: whatever a job loop does, it asks for each of its kinds again.
 */
export async function nextDues(db: Db, kinds: readonly DueKind[]): Promise<(number | null)[]> {
  const asked = [...new Set(kinds)].sort().flatMap((kind) => KINDS[kind].map(firstOf(kind)));
  const { rows } = await sql<{ kind: DueKind; dueAt: number | null }>`${sql.join(
    asked,
    sql` union all `,
  )}`.execute(db);
  const times = new Map<DueKind, number>();
  for (const { kind, dueAt } of rows)
    if (dueAt !== null) times.set(kind, Math.min(dueAt, times.get(kind) ?? dueAt));
  return kinds.map((kind) => times.get(kind) ?? null);
}

function firstOf(kind: DueKind) {
  return (which: RawBuilder<unknown>) => sql`select ${sql.lit(kind)} as kind,
    (select due_at from ${which} due_at is not null order by due_at limit 1) as due_at`;
}
