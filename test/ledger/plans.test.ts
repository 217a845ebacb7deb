import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type HotPath, hotPaths } from './hot-paths.ts';

/*
 * SQLite's query plans for the statements that run for every share, claim and message: each must
 * use an index, or it slows down as the ledger grows.
 */
const plans = new Map<string, string[]>();

beforeAll(async () => {
  const folder = temporaryFolder(afterAll);
  for (const [name, path] of Object.entries(hotPaths)) {
    const dataDir = join(folder, name);
    const texts = await statementsOf(path, dataDir).catch((cause: unknown) => {
      throw new Error(`${name}: the path was not gone to its end`, { cause });
    });
    const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
    plans.set(
      name,
      [...texts].flatMap((text) => explain(database, text)),
    );
    database.close();
  }
});

/** Returns the distinct statements that a path runs. */
async function statementsOf(path: HotPath, dataDir: string): Promise<Set<string>> {
  const spies = (['all', 'run'] as const).map((name) => vi.spyOn(StatementSync.prototype, name));
  const ledger = await openEmptyLedger(0, dataDir);
  const forget = () => {
    for (const spy of spies) spy.mockClear();
  };
  forget();
  try {
    await path(ledger, async (make) => {
      const made = await make();
      forget();
      return made;
    });
    const run = spies.flatMap(({ mock }) => mock.contexts as StatementSync[]);
    return new Set(run.map(({ sourceSQL }) => sourceSQL));
  } finally {
    for (const spy of spies) spy.mockRestore();
    await ledger.close();
  }
}

function explain(database: DatabaseSync, text: string): string[] {
  if (!/^\s*(with|select|insert|update|delete)/i.test(text)) return [];
  const rows = database
    .prepare(`explain query plan ${text}`)
    .all(...new Array(text.split('?').length - 1).fill(null));
  const steps = rows.map((row) => String(row['detail']));
  // What it sorts are the jobs that it inserts.
  const sortsItsOwn = text.startsWith('with wanted');
  return sortsItsOwn ? steps.filter((step) => !step.includes('TEMP B-TREE')) : steps;
}

const SORTED = [
  'files of a share',
  'retry elsewhere',
  'shares of a message',
  'saved folders',
  'announce creates',
  'claim a look',
  'see to what was deleted',
  'record what was deleted',
  'next filing',
];
/** Queries that run now and then: by this index they read live rows and no settled ones. */
const GATHERED: Record<string, string> = {
  'what needs attention': 'transfers_troubled',
  'what needs attention in some channels': 'transfers_troubled',
  'what needs attention in a channel': 'transfers_troubled',
  'leave what needs attention': 'transfers_troubled',
  'count refused': 'transfers_troubled',
  'files in hand': 'transfers_open',
  'count active': 'transfers_open',
  'open lines': 'transfers_open',
};

/** Scans of rows that the statement itself made or was given, and of the few holds. */
const SMALL = /^SCAN (CONSTANT ROW|known|wanted|due|upload|folder|probe|next|holds)$/;

/** The first of a kind in the order of this index is the next one that is due. */
function isOrdered(step: string): boolean {
  return step.includes('jobs_next');
}

function plansOf(name: string): string[] {
  const steps = plans.get(name) ?? [];
  expect(steps).not.toEqual([]);
  return steps;
}

describe('query plans', () => {
  it.each(Object.keys(hotPaths).filter((name) => !(name in GATHERED)))(
    'use an index for the path "%s"',
    (name) => {
      const steps = plansOf(name);
      const scans = steps.filter((step) => /^SCAN /.test(step) && !SMALL.test(step));
      expect(scans).toEqual([]);
      // The files of one share or batch may be sorted, and what history brought to one folder; nothing
      // that grows with the ledger may.
      const sorts = steps.filter((step) => step.includes('TEMP B-TREE'));
      expect(SORTED.includes(name) ? [] : sorts).toEqual([]);
      // An installation has one workspace, so an index on the team alone reads the whole table.
      expect(steps.filter((step) => step.endsWith('(team=?)'))).toEqual([]);
    },
  );

  it.each(Object.entries(GATHERED))(
    'read only live rows for the path "%s", by the index %s',
    (name, index) => {
      const reads = plansOf(name).filter((step) => /^(SCAN|SEARCH) (transfers|shares)/.test(step));
      const settled = reads.filter(
        (step) => !new RegExp(`INDEX (${index}|transfers_parked|shares_)|PRIMARY KEY`).test(step),
      );
      expect(reads.length).toBeGreaterThan(0);
      expect(settled).toEqual([]);
    },
  );

  it('count the files that wait for a folder from their index alone', () => {
    const covering = 'SCAN transfers USING COVERING INDEX transfers_parked';
    expect(plansOf('what needs attention')).toContain(covering);
  });

  it('find the records of channels by what they shared, not by reading the whole folder', () => {
    expect(plansOf('records of channels')[0]).toMatch(/^SEARCH shares /);
  });

  it.each(Object.keys(hotPaths))('find jobs by an index for the path "%s", unsorted', (name) => {
    const jobs = (plans.get(name) ?? []).filter((step) => /^(SCAN|SEARCH) jobs/.test(step));
    expect(jobs.filter((step) => !/^SEARCH jobs USING (COVERING )?INDEX /.test(step))).toEqual([]);
    // Beside 10,000 of its kind, that is no search.
    expect(jobs.filter((step) => step.endsWith('(kind=?)') && !isOrdered(step))).toEqual([]);
  });

  it.each([
    ['claim', 'jobs_due (kind=? AND queue>?)'],
    ['claim with a large file', 'jobs_due (kind=? AND queue>?)'],
    ['claim a look', 'jobs_due (kind=? AND queue>?)'],
    ['claim a message', 'jobs_due (kind=? AND queue=? AND due_at>? AND due_at<?)'],
    ['find a message', 'sqlite_autoindex_messages_1 (kind=? AND about=?)'],
    ['claim a catch-up', 'jobs_due (kind=? AND queue>?)'],
    ['claim a backfill', 'jobs_due (kind=? AND queue>?)'],
    ['next filing', 'jobs_next (kind=? AND due_at>?)'],
    ['next of each kind', 'jobs_next (kind=? AND due_at>?)'],
    ['renew leases', 'jobs_leased (lease_token=?)'],
    ['sweep leases', 'jobs_leased (lease_token>?)'],
    ['look for what others add', 'jobs_next (kind=? AND due_at<?)'],
  ])('for the path "%s" use the index %s', (name, index) => {
    expect(plansOf(name).filter((step) => step.includes(index))).not.toEqual([]);
  });

  it('prepare the most frequent statements once, not at every poll', async () => {
    const ledger = await openEmptyLedger(0, temporaryFolder());
    const next = () => Promise.all([ledger.nextDue('folder'), ledger.nextDue('message')]);
    await next();
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    try {
      await next();
      expect(prepare).not.toHaveBeenCalled();
    } finally {
      prepare.mockRestore();
      await ledger.close();
    }
  });
});
