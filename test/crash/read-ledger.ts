import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface LedgerReading {
  /** How many transfers are in each state. */
  states: Record<string, number>;
  /** Transfers that are still to be worked on, and shares whose message is to be edited. */
  open: { transfers: number; messages: number };
  /** Shares, by `ts`, that a report speaks for: they have no line of their own. */
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
