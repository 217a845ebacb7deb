import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface LedgerReading {
  /** The number of transfers in each state. */
  states: Record<string, number>;
  /** Transfers with work left, and shares whose message must still be edited. */
  open: { transfers: number; messages: number };
  /** The `ts` of shares that a report covers: they have no line of their own. */
  reported: Set<string>;
}

/** Reads the ledger of an app that is not running. */
export function readLedger(dataDir: string): LedgerReading {
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  const rows = (query: string) => database.prepare(query).all();
  const count = (query: string) => Number(rows(query)[0]?.['n']);
  try {
    const states = rows('select state, count(*) as n from transfers group by state');
    const reported = rows('select ts from shares where report_id is not null');
    return {
      states: Object.fromEntries(states.map((row) => [String(row['state']), Number(row['n'])])),
      open: {
        transfers: count('select count(*) as n from transfers where due_at is not null'),
        messages: count('select count(*) as n from shares where due_at is not null'),
      },
      reported: new Set(reported.map((row) => String(row['ts']))),
    };
  } finally {
    database.close();
  }
}
