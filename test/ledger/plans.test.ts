import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { recording } from '../support/shares.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/*
 * The statements that run for every share, claim and message, as SQLite plans them: each must go by
 * an index, or it grows slow with the ledger.
 */
const plans = new Map<string, string[]>();

beforeAll(async () => {
  const dataDir = temporaryFolder(afterAll);
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

/** A claim whose lead is uploaded runs the statement that announces creates. */
async function uploadOne(ledger: Ledger): Promise<void> {
  await ledger.recordShare(recording({ ts: '9' }, { now: 1 }));
  const token = 'upload';
  const transfer = (await ledger.claimFiling({ ...due, token }))?.transfers[0];
  const upload = { attachmentId: 1, byteSize: 1, serviceTime: 1, now: -90_000 };
  await ledger.markUploaded({ id: transfer?.id ?? 0, token }, upload);
}

function explain(database: DatabaseSync, text: string): string[] {
  if (!/^\s*(select|insert|update|delete)/i.test(text)) return [];
  const rows = database
    .prepare(`explain query plan ${text}`)
    .all(...new Array(text.split('?').length - 1).fill(null));
  return rows.map((row) => String(row['detail']));
}

const destination = { projectId: 1, folderId: 2 };
const elsewhere = { projectId: 1, folderId: 3 };
const channel = { team: 'T1', channel: 'C1' };
const claim = { id: 1, token: 't' };
const lease = { now: 1, until: 2, token: 't' };
const due = { ...lease, afterQueue: '', largest: null };

const hotPaths: Record<string, (ledger: Ledger) => Promise<unknown>> = {
  'record a share': (ledger) => ledger.recordShare(recording({}, { now: 1 })),
  'record it again': (ledger) => ledger.recordShare(recording({}, { now: 1 })),
  'record what was deleted': async (ledger) => {
    await ledger.recordDeletions([{ team: 'T1', fileId: 'F7' }], 1);
    await ledger.recordDeletions([{ team: 'T1', channel: 'C1', ts: '7' }], 1);
  },
  'see to what was deleted': async (ledger) => {
    await ledger.claimDeletion(lease);
    await ledger.nextDue('deletions');
    await ledger.deletedFiles({ team: 'T1', what: 'F7' });
    await ledger.deletedFiles({ team: 'T1', what: 'C1/7' });
  },
  claim: (ledger) => ledger.claimFiling(due),
  'claim with a large file': (ledger) => ledger.claimFiling({ ...due, largest: 1 }),
  'announce creates': (ledger) => uploadOne(ledger).then(() => ledger.claimFiling(due)),
  'claim a look': (ledger) => ledger.claimLook(due),
  'next filing': (ledger) => ledger.nextFiling({ largest: null }),
  'next look': (ledger) => ledger.nextDue('looks'),
  'count active': (ledger) => ledger.countActive(),
  'renew leases': (ledger) => ledger.renewLeases('transfers', { tokens: ['t'], until: 9 }),
  'sweep leases': (ledger) => ledger.sweepLeases('transfers', { now: 1 }),
  'mark uploaded': (ledger) =>
    ledger.markUploaded(claim, { attachmentId: 1, byteSize: 1, serviceTime: 1, now: 1 }),
  'mark absent': (ledger) => ledger.markAbsent(claim, 1),
  'mark filed': (ledger) => ledger.markFiled(claim, { recordId: 1, now: 1 }),
  'records of a channel': (ledger) => ledger.recordsOfChannel(channel, destination),
  'filed records': (ledger) => ledger.filedRecords(destination, [1, 2]),
  'open creates': (ledger) => ledger.openCreates(destination),
  'holdings in a folder': (ledger) => ledger.holdingsIn(destination, [1, 2]),
  'last creator': (ledger) => ledger.lastCreators(),
  'bring forward': (ledger) => ledger.bringForward('transfers', { now: 1, latest: 2 }),
  'mark created': (ledger) => ledger.markCreated(claim, 1),
  'transfer of a record': (ledger) => ledger.transferOfRecord(destination, 1),
  'claim a share': (ledger) => ledger.claimShare(lease),
  'open lines': (ledger) => ledger.openLinesDue(1),
  'claim a report': (ledger) => ledger.claimReport(lease),
  'next share': (ledger) => ledger.nextDue('shares'),
  'renew leases of shares': (ledger) => ledger.renewLeases('shares', { tokens: ['t'], until: 9 }),
  'sweep leases of shares': (ledger) => ledger.sweepLeases('shares', { now: 1 }),
  'files of a share': (ledger) => ledger.transfersOfShare(1),
  'first parked': (ledger) => ledger.isFirstParked(channel, { shareId: 9, userId: 'U1' }),
  'parked files': (ledger) => ledger.countParked(channel),
  'parked files of the past': (ledger) => ledger.countParked(channel, { past: true }),
  'waiting files': (ledger) => ledger.countWaiting(channel, destination),
  'retry elsewhere': (ledger) =>
    ledger.retryElsewhere(channel, { from: destination, to: elsewhere, now: 1 }),
  'move waiting': (ledger) =>
    ledger.moveWaiting(channel, { from: destination, to: elsewhere, now: 1 }),
  'hold back': (ledger) => ledger.holdBack(claim, { now: 1, scale: 1 }),
  'end pauses': (ledger) => ledger.endPauses(destination, { sentAt: 1, now: 1 }),
  'link of a channel': (ledger) => ledger.findLink(channel),
  'what needs attention': (ledger) => ledger.listTroubles('T1'),
  'files in hand': (ledger) => ledger.countInHand('T1'),
  'what needs attention in a channel': (ledger) => ledger.troubledShares(channel),
  'leave what needs attention': (ledger) => ledger.leaveTroubled(channel, 1),
  'look for what others add': async (ledger) => {
    await ledger.setWatched(channel, { on: true, now: 0 });
    await ledger.nextDue('watches');
    await ledger.claimWatch(lease);
    await ledger.takeAnnounceRequest({ now: 1, everyMs: 1 });
    await ledger.unidentifiedIn(destination);
  },
  'shares of a message': (ledger) => ledger.sharesOf({ ...channel, ts: '1' }),
  'last saved to': (ledger) => ledger.lastSavedTo({ team: 'T1', userId: 'U1' }),
  'saved folders': (ledger) => ledger.savedFolders('T1', ['C1', 'C2']),
  'same files': async (ledger) => {
    const [transfer] = await ledger.transfersOfShare(1);
    if (transfer) await ledger.sameFiles(transfer);
  },
  'known shares': (ledger) => ledger.knownShares(channel, ['1', '2']),
};

const SORTED = [
  'files of a share',
  'shares of a message',
  'saved folders',
  'announce creates',
  'see to what was deleted',
];
/** What people ask now and then: put together from what is live, and from nothing that is settled. */
const GATHERED: Record<string, string> = {
  'what needs attention': 'transfers_troubled',
  'what needs attention in a channel': 'transfers_troubled',
  'leave what needs attention': 'transfers_troubled',
  'files in hand': 'transfers_next',
};

describe('query plans', () => {
  it.each(Object.keys(hotPaths).filter((name) => !(name in GATHERED)))(
    '%s goes by an index',
    (name) => {
      const steps = plans.get(name) ?? [];
      const scans = steps.filter(
        (step) => /^SCAN (?!CONSTANT ROW)/.test(step) && !step.includes('USING'),
      );
      expect(scans).toEqual([]);
      // The few files of one share or batch may be sorted; nothing that grows with the ledger may.
      const sorts = steps.filter((step) => step.includes('TEMP B-TREE'));
      expect(SORTED.includes(name) ? [] : sorts).toEqual([]);
    },
  );

  it.each(Object.entries(GATHERED))('%s is gathered by the index %s', (name, index) => {
    const reads = (plans.get(name) ?? []).filter((step) =>
      /^(SCAN|SEARCH) (transfers|shares)/.test(step),
    );
    const settled = reads.filter(
      (step) => !new RegExp(`INDEX (${index}|transfers_parked|shares_)|PRIMARY KEY`).test(step),
    );
    expect(reads.length).toBeGreaterThan(0);
    expect(settled).toEqual([]);
  });

  it('claims by the index of what is due', () => {
    expect(plans.get('claim')?.join()).toContain('transfers_filing');
    expect(plans.get('claim a look')?.join()).toContain('transfers_open');
    expect(plans.get('claim a share')?.join()).toMatch(/shares_due .*shares_due_spoken_for/);
    expect(plans.get('next share')?.join()).toMatch(/shares_due .*shares_due_spoken_for/);
  });
});
