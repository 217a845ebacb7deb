import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { share } from '../support/shares.ts';

/*
 * The statements that run for every share, claim and telling, as SQLite plans them: each must go by
 * an index, or it grows slow with the ledger.
 */
const plans = new Map<string, string[]>();

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pigeonhole-plans-'));
  const ledger = await openLedger(sqliteDialect(dataDir), 0);
  const statements = new Map<string, Set<string>>();
  const prepare = DatabaseSync.prototype.prepare;
  let now = '';
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    text: string,
  ) {
    statements.set(now, (statements.get(now) ?? new Set()).add(text));
    return prepare.call(this, text);
  });
  for (const [name, run] of Object.entries(hotPaths)) {
    now = name;
    await run(ledger).catch(() => undefined);
  }
  spy.mockRestore();
  await ledger.close();
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  for (const [name, texts] of statements)
    plans.set(
      name,
      [...texts].flatMap((text) => explain(database, text)),
    );
  database.close();
});

function explain(database: DatabaseSync, text: string): string[] {
  if (!/^\s*(select|insert|update|delete)/i.test(text)) return [];
  const rows = database
    .prepare(`explain query plan ${text}`)
    .all(...new Array(text.split('?').length - 1).fill(null));
  return rows.map((row) => String(row['detail']));
}

const destination = { projectId: 1, folderId: 2 };
const claim = { id: 1, token: 't' };
const due = { now: 1, leaseUntil: 2, token: 't', afterQueue: '' };
const telling = { now: 1, claimUntil: 2, token: 't' };

const hotPaths: Record<string, (ledger: Ledger) => Promise<unknown>> = {
  'record a share': (ledger) =>
    ledger.recordShare({ share: share(), origin: 'event', destination, reportId: null, now: 1 }),
  'record it again': (ledger) =>
    ledger.recordShare({ share: share(), origin: 'event', destination, reportId: null, now: 1 }),
  claim: (ledger) => ledger.claimTransfer(due),
  'claim around full queues': (ledger) =>
    ledger.claimTransfer({ ...due, exceptQueues: ['a', 'b'] }),
  'next due': (ledger) => ledger.nextDue(),
  'count active': (ledger) => ledger.countActive(),
  'renew leases': (ledger) => ledger.renewLeases(['t'], 9),
  'mark uploaded': (ledger) =>
    ledger.markUploaded(claim, { attachmentId: 1, byteSize: 1, serviceTime: 1 }),
  'mark creating': (ledger) => ledger.markCreating(claim, 1),
  'mark filed': (ledger) => ledger.markFiled(claim, { recordId: 1, now: 1 }),
  'claimed records': (ledger) => ledger.claimedRecords(destination, [1, 2]),
  'records of a channel': (ledger) =>
    ledger.recordsOfChannel({ team: 'T1', channel: 'C1' }, destination),
  'open creates': (ledger) => ledger.openCreates(destination),
  'holdings in a folder': (ledger) => ledger.holdingsIn(destination, [1, 2]),
  'bring forward': (ledger) => ledger.bringForward({ now: 1, latest: 2 }),
  'mark created': (ledger) => ledger.markCreated(claim, 1),
  'transfer of a record': (ledger) => ledger.transferOfRecord(destination, 1),
  'share to tell': (ledger) => ledger.claimShareToTell(telling),
  'share of a report to tell': (ledger) => ledger.claimShareToTell({ ...telling, spokenFor: true }),
  'report to tell': (ledger) => ledger.claimReportToTell(telling),
  'next telling': (ledger) => ledger.nextTelling('shares'),
  'files of a share': (ledger) => ledger.transfersOfShare(1),
  'parked files': (ledger) => ledger.countParked({ team: 'T1', channel: 'C1' }),
  'link of a channel': (ledger) => ledger.findLink({ team: 'T1', channel: 'C1' }),
  'known shares': (ledger) => ledger.knownShares({ team: 'T1', channel: 'C1' }, ['1', '2']),
};

describe('query plans', () => {
  it.each(Object.keys(hotPaths))('%s goes by an index', (name) => {
    const steps = plans.get(name) ?? [];
    const scans = steps.filter((step) => step.startsWith('SCAN') && !step.includes('USING'));
    expect(scans).toEqual([]);
    // The few files of one share may be sorted; nothing that grows with the ledger may.
    const sorts = steps.filter((step) => step.includes('TEMP B-TREE'));
    expect(name === 'files of a share' ? [] : sorts).toEqual([]);
  });

  it('claims by the index of what is due', () => {
    expect(plans.get('claim')?.join()).toContain('transfers_due');
    expect(plans.get('share to tell')?.join()).toMatch(/shares_to_tell /);
    expect(plans.get('share of a report to tell')?.join()).toContain('shares_to_tell_spoken_for');
    expect(plans.get('next telling')?.join()).toMatch(/shares_to_tell .*shares_to_tell_spoken_for/);
  });
});
