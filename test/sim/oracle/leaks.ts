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

/** Counts the transfers on their way that no job would see to, in a ledger that nobody has open. */
export function withoutJob(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'), { readOnly: true });
  try {
    const uploads = `select 1 from jobs where kind = 'upload' and key = cast(transfers.id as text)`;
    const folders = `select 1 from jobs where kind = 'folder' and key = project_id || '/' || folder_id`;
    const row = database
      .prepare(`select count(*) as files from transfers
        where (state = 'recorded' and earlier is null and not exists (${uploads}))
          or ((state in ('uploaded', 'creating', 'created') or (state = 'recorded' and earlier is not null))
            and not exists (${folders}))`)
      .get();
    return Number(row?.['files']);
  } finally {
    database.close();
  }
}

/**
 * Counts the jobs that are still claimed in a ledger that nobody has open, by kind; with `after`, only
 * those whose lease ends later, in epoch milliseconds.
 */
export function heldLeases(dataDir: string, after?: number): { kind: string; held: number }[] {
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'), { readOnly: true });
  try {
    const counted = database.prepare(`select kind, count(*) as held from jobs
      where lease_token is not null and (?1 is null or due_at > ?1) group by kind`);
    const rows = counted.all(after ?? null);
    return rows.map(({ kind, held }) => ({ kind: String(kind), held: Number(held) }));
  } finally {
    database.close();
  }
}
