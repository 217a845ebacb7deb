import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CamelCasePlugin, Kysely, Migrator } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { type Ledger, openLedger, sqliteDialect, type Transfer } from '../../src/ledger/index.ts';
import { migrationsOf } from '../../src/ledger/open-ledger.ts';
import type { Tables } from '../../src/ledger/schema.ts';
import { recording, share, sharedFile } from '../support/builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The time of the frozen ledger, which has a transfer per state, named after it, in one folder. */
const NOW = 1_700_000_000_000;
const FOLDER = { projectId: 1, folderId: 2 };

/** Opens a ledger file as that version wrote it. */
async function openFrozen(version: string): Promise<Ledger> {
  const dataDir = temporaryFolder();
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  database.exec(readFileSync(new URL(`./ledgers/${version}.sql`, import.meta.url), 'utf8'));
  database.close();
  const ledger = await openLedger(sqliteDialect(dataDir), NOW);
  onTestFinished(() => ledger.close());
  return ledger;
}

async function transfersOf(ledger: Ledger): Promise<Map<string, Transfer>> {
  const shares = Array.from({ length: 11 }, (_, index) => ledger.transfersOfShare(index + 1));
  const transfers = (await Promise.all(shares)).flat();
  return new Map(transfers.map((one) => [one.name.replace('.pdf', ''), one]));
}

it('a ledger of the first version opens with each transfer at the step it had reached', async () => {
  const transfers = await transfersOf(await openFrozen('001'));
  const states = [...transfers].map(([name, { state, refusedIn }]) => [name, state, refusedIn]);
  expect(states).toEqual([
    ['parked', 'parked', null],
    ['recorded', 'recorded', null],
    ['uploaded', 'uploaded', null],
    ['announced', 'uploaded', null],
    ['creating', 'creating', null],
    ['filed', 'filed', null],
    ['deleted', 'deleted', null],
    ['refused-uploaded', 'refused', 'uploaded'],
    ['refused-creating', 'refused', 'creating'],
    ['refused-size', 'refused', 'creating'],
    // Its create was answered with success: a retry would have created it twice.
    ['refused-taken', 'filed', null],
  ]);
  expect(transfers.get('filed')).toMatchObject({
    ...{ recordId: 206, attachmentId: 106, recordUrl: null },
  });
  expect(transfers.get('refused-taken')).toMatchObject({ recordId: null, problem: null });
});

it('a ledger of the first version counts one create for what may have been created', async () => {
  const transfers = await transfersOf(await openFrozen('001'));
  const counted = [...transfers].filter(([, { creates }]) => creates === 1).map(([name]) => name);
  expect(counted).toEqual(expect.arrayContaining(['announced', 'creating', 'refused-creating']));
  for (const name of ['parked', 'recorded', 'uploaded', 'refused-uploaded'])
    expect(transfers.get(name)).toMatchObject({ creates: 0, lastRecord: null });
});

it('an open create of a first-version ledger stays open, and can be sent again after a look', async () => {
  const ledger = await openFrozen('001');
  const creates = await ledger.openCreates(FOLDER);
  const open = creates.filter(({ state }) => state !== 'filed').map(({ name }) => name);
  expect(open.sort()).toEqual(['creating.pdf', 'refused-creating.pdf']);
  const lease = { now: NOW + 60_000, until: NOW + 90_000, token: 't' };
  const claimed = await ledger.claimLook(lease);
  expect(claimed).toMatchObject([{ name: 'creating.pdf', state: 'creating' }]);
  const claim = { id: claimed[0]?.id ?? 0, token: 't' };
  await ledger.markAbsent(claim, NOW);
  await ledger.release('transfers', { claim, dueAt: NOW });
  const again = await ledger.claimFiling({ ...lease, afterQueue: 'T1/C04', largest: null });
  const [own] = (again?.transfers ?? []).filter(({ name }) => name === 'creating.pdf');
  expect(own).toMatchObject({ state: 'creating', creates: 2, lastRecord: 207 });
});

type Row = Record<string, string | number | null>;

/** Opens a ledger as of `version`, with these rows, without the migrations that match `lacking`. */
async function openBefore(
  version: string,
  tables: Record<string, Row[]>,
  lacking?: RegExp,
): Promise<Ledger> {
  const dataDir = temporaryFolder();
  const dialect = sqliteDialect(dataDir);
  const db = new Kysely<Tables>({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  const known = Object.entries(migrationsOf(dialect)).filter(([name]) => !lacking?.test(name));
  const provider = { getMigrations: async () => Object.fromEntries(known) };
  const { error } = await new Migrator({ db, provider }).migrateTo(version);
  expect(error).toBeUndefined();
  await db.destroy();
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  for (const [table, rows] of Object.entries(tables))
    for (const row of rows) {
      const columns = Object.keys(row);
      const values = columns.map(() => '?').join();
      database
        .prepare(`insert into ${table} (${columns}) values (${values})`)
        .run(...Object.values(row));
    }
  database.close();
  const ledger = await openLedger(sqliteDialect(dataDir), NOW);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Opens a ledger from before batches, with these transfers of one share. */
function openBeforeBatches(transfers: Row[]): Promise<Ledger> {
  const shares = [{ id: 1, team: 'T1', channel: 'C1', ts: '1', origin: 'event', recorded_at: NOW }];
  const rows = transfers.map((given, position) => ({
    ...COMMON,
    position,
    slack_file_id: `F${position}`,
    ...given,
  }));
  return openBefore('005-record-unknown', { shares, transfers: rows });
}

const COMMON = {
  share_id: 1,
  queue: 'T1/C1',
  slack_file: JSON.stringify(sharedFile()),
  project_id: 1,
  folder_id: 2,
  recorded_at: NOW,
  next_at: NOW,
  attempts: 9,
};
const UPLOADED = { attachment_id: 7, byte_size: 10, service_time: NOW };
const CREATING = { ...UPLOADED, state: 'creating', creating_since: NOW, creates: 1 };

it('a ledger from before batches opens with each transfer at the step it had reached', async () => {
  const leased = { lease_token: 'dead', next_at: NOW + 30_000 };
  const ledger = await openBeforeBatches([
    { name: 'recorded', state: 'recorded' },
    {
      name: 'failed',
      state: 'recorded',
      failures: 2,
      failing_since: NOW,
      problem: 'SERVICE_FAILED',
    },
    { name: 'uploading', state: 'recorded', losses: 1, ...leased },
    { name: 'uploaded', state: 'uploaded', ...UPLOADED, ...leased },
    { name: 'creating', ...CREATING, ...leased },
    { name: 'answered', ...CREATING, answered_at: NOW, creates: 0, problem: 'SERVICE_REFUSED' },
    { name: 'created', ...CREATING, state: 'created' },
    { name: 'filed', ...CREATING, state: 'filed', record_id: 5, next_at: null },
    { name: 'parked', state: 'parked', project_id: null, folder_id: null, next_at: null },
  ]);
  const transfers = await transfersOf(ledger);
  for (const [name, { state, leaseToken }] of transfers) {
    expect(leaseToken).toBeNull();
    const stood = { failed: 'recorded', uploading: 'recorded', answered: 'creating' };
    expect(state).toBe(name in stood ? stood[name as keyof typeof stood] : name);
  }
  const attempts = (name: string) => transfers.get(name)?.attempts;
  expect(['recorded', 'failed', 'uploading', 'uploaded'].map(attempts)).toEqual([0, 2, 2, 1]);
  for (const name of ['recorded', 'failed', 'uploading', 'uploaded', 'creating', 'created'])
    expect(transfers.get(name)?.dueAt).toBe(NOW);
  for (const name of ['filed', 'parked']) expect(transfers.get(name)?.dueAt).toBeNull();
});

it('a ledger from before batches lets each transfer be claimed once, and repeats no open create', async () => {
  const ledger = await openBeforeBatches([
    { name: 'recorded', state: 'recorded' },
    { name: 'uploaded', state: 'uploaded', ...UPLOADED },
    { name: 'creating', ...CREATING },
    { name: 'created', ...CREATING, state: 'created' },
  ]);
  const names = (claimed: Transfer[] = []) => claimed.map(({ name, state }) => [name, state]);
  const turn = { now: NOW + 60_000, until: NOW + 90_000, afterQueue: '', largest: null };
  const claims = [
    names((await ledger.claimFiling({ ...turn, token: 'a' }))?.transfers),
    names((await ledger.claimFiling({ ...turn, token: 'b' }))?.transfers),
    names((await ledger.claimFiling({ ...turn, token: 'c' }))?.transfers),
    names(await ledger.claimLook({ ...turn, token: 'd' })),
    names(await ledger.claimLook({ ...turn, token: 'e' })),
  ];
  expect(claims).toEqual([
    [['uploaded', 'creating']],
    [['recorded', 'recorded']],
    [],
    [
      ['creating', 'creating'],
      ['created', 'created'],
    ],
    [],
  ]);
});

it('a notification from before leases keeps its due time, and its holder until the lease ends', async () => {
  const share = { team: 'T1', channel: 'C1', origin: 'event', recorded_at: NOW };
  const begun = { reply_ts: 'ts', reply_begun: 1, told: 'text', tell_version: 4, tell_failures: 2 };
  const report = { team: 'T1', kind: 'catch-up', started_at: NOW };
  const ledger = await openBefore('006-batches', {
    shares: [
      { ...share, id: 1, ts: '1' },
      { ...share, id: 2, ts: '2', tell_at: NOW + 5, ...begun },
      { ...share, id: 3, ts: '3', tell_at: NOW + 60_000, tell_token: 'dead' },
    ],
    reports: [
      { ...report, id: 1, channel: 'C1', tell_at: NOW + 7 },
      { ...report, id: 2, channel: 'C2', tell_at: NOW + 60_000, tell_token: 'dead' },
    ],
  });
  const found = await Promise.all([1, 2, 3].map((id) => ledger.findShareById(id)));
  expect(found).toMatchObject([
    { dueAt: null, leaseToken: null, attempts: 0 },
    { dueAt: NOW + 5, replyTs: 'ts', replyBegun: 1, fingerprint: 'text', version: 4, failures: 2 },
    { dueAt: NOW + 60_000, leaseToken: 'dead' },
  ]);
  const lease = { now: NOW + 10_000, until: NOW + 70_000, token: 't' };
  expect(await ledger.claimRow('shares', lease)).toMatchObject({ id: 2 });
  expect(await ledger.claimRow('shares', lease)).toBeUndefined();
  expect(await ledger.claimRow('reports', lease)).toMatchObject({ id: 1 });
  expect(await ledger.claimRow('reports', lease)).toBeUndefined();
  for (const table of ['shares', 'reports'] as const)
    await ledger.sweepLeases(table, { now: NOW + 60_000 });
  const later = { ...lease, now: NOW + 60_000, token: 'u' };
  expect(await ledger.claimRow('shares', later)).toMatchObject({
    id: 3,
  });
  expect(await ledger.claimRow('reports', later)).toMatchObject({
    id: 2,
  });
});

it("a backfill from before leases resumes where it had read to, free of its reader's lease", async () => {
  const report = { team: 'T1', kind: 'backfill', started_at: NOW, read_to: '17.5' };
  const read = { read_until: NOW + 60_000, read_token: 'dead' };
  const ledger = await openBefore('006-batches', {
    reports: [
      { ...report, id: 1, channel: 'C1', ...read },
      { ...report, id: 2, channel: 'C2', read_until: NOW + 9, read_failures: 3, read_problem: 'x' },
      { ...report, id: 3, channel: 'C3', stopped: 1, read_problem: 'missing_scope' },
      { ...report, id: 4, channel: 'C4' },
      { ...report, id: 5, channel: 'C5', kind: 'catch-up', read_to: null },
    ],
    channels: [{ team: 'T1', channel: 'C5', confirmed_ts: '16.0', catch_up_until: NOW + 60_000 }],
  });
  const found = await Promise.all([1, 2, 3, 4].map((id) => ledger.findReading(id)));
  expect(found).toMatchObject([
    { channel: 'C1', dueAt: NOW, leaseToken: null, readTo: '17.5', problem: null },
    { channel: 'C2', dueAt: NOW + 9, failures: 3, problem: 'x' },
    { channel: 'C3', dueAt: null, problem: 'missing_scope' },
    { channel: 'C4', dueAt: null },
  ]);
  expect(await ledger.findReading(5)).toBeUndefined();
  const lease = { now: NOW + 10, until: NOW + 60_000, token: 't' };
  const claimed = [1, 2, 3].map(() => ledger.claimRow('backfill', lease));
  expect((await Promise.all(claimed)).map((one) => one?.channel)).toEqual(['C1', 'C2', undefined]);
  await ledger.beginBackfill({ team: 'T1', channel: 'C4' }, { startedBy: 'U1', now: NOW });
  expect(await ledger.claimRow('backfill', lease)).toMatchObject({
    channel: 'C4',
  });
  expect(await ledger.findHistoryMarks({ team: 'T1', channel: 'C5' })).toMatchObject({
    confirmedTs: '16.0',
  });
});

it('channels from before leases, known or new, are caught up from the last listing', async () => {
  const ledger = await openBefore('006-batches', {
    runs: [{ id: 1, started_at: NOW, away_since: '17.0' }],
    channels: [{ team: 'T1', channel: 'C1', confirmed_ts: '16.0', caught_up_at: NOW }],
  });
  const asked = { team: 'T1', channels: ['C1', 'C2'], all: true, begunTs: '18.0', now: NOW };
  await ledger.requestCatchUp(asked);
  const lease = { now: NOW, until: NOW + 60_000, token: 't' };
  const claimed = [1, 2].map(() => ledger.claimRow('catch-up', lease));
  expect(await Promise.all(claimed)).toMatchObject([
    { channel: 'C1', since: '17.0' },
    { channel: 'C2', since: '17.0' },
  ]);
});

it('a link from before project titles keeps its folder name and has no project title', async () => {
  const link = { project_id: 1, folder_id: 2, folder_name: 'Invoices', linked_by: 'U1' };
  const ledger = await openBefore('011-deletions', {
    channels: [{ team: 'T1', channel: 'C1', ...link, linked_at: NOW }],
  });
  expect(await ledger.findLink({ team: 'T1', channel: 'C1' })).toEqual({
    ...FOLDER,
    ...{ projectTitle: null, folderName: 'Invoices', linkedBy: 'U1', linkedAt: NOW },
    ...{ pausedFor: null, pauseNotified: false },
  });
});

it('shares from before files could be saved by hand keep all their data', async () => {
  const row = {
    ...{ id: 7, team: 'T1', channel: 'C1', ts: '1', thread_ts: '0', user_id: 'U1' },
    ...{ origin: 'catch-up', report_id: 3, reaction: 'eyes', reaction_begun: null },
    ...{ recorded_at: NOW, due_at: NOW, version: 4, lease_token: null, failures: 2 },
    ...{ reply_ts: '9', reply_begun: 1, fingerprint: 'f', attempts: 5 },
  };
  const report = { id: 3, team: 'T1', channel: 'C1', kind: 'catch-up', started_at: NOW };
  const { next_at: dueAt, ...common } = COMMON;
  const transfer = { ...common, due_at: dueAt, share_id: 7, position: 0, slack_file_id: 'F1' };
  const ledger = await openBefore('011-deletions', {
    reports: [report],
    shares: [row],
    transfers: [{ ...transfer, name: 'a.pdf', state: 'recorded' }],
  });
  const given = { team: 'T1', channel: 'C1', ts: '1' };
  expect(await ledger.sharesOf(given)).toEqual([
    {
      ...{ id: 7, ...given, threadTs: '0', userId: 'U1', origin: 'catch-up', reportId: 3 },
      ...{ savedTo: '', savedBy: null, replyChannel: null, reaction: 'eyes', reactionBegun: null },
      ...{ recordedAt: NOW, dueAt: NOW, version: 4, leaseToken: null, failures: 2 },
      ...{ replyTs: '9', replyBegun: 1, fingerprint: 'f', attempts: 5 },
    },
  ]);
  expect(await ledger.transfersOfShare(7)).toMatchObject([{ shareId: 7, name: 'a.pdf' }]);
  const input = recording({ ts: '2' }, { now: NOW });
  expect((await ledger.recordShare(input)).shareId).toBe(8);
});

it('a file saved by hand to its channel’s folder stays known to its message', async () => {
  const channel = { team: 'T1', channel: 'C1' };
  const folder = { project_id: 1, folder_id: 2 };
  const message = (id: number) => ({ ...channel, id, ts: '1', origin: 'event', recorded_at: NOW });
  const saved = (id: number) => ({ ...message(id), origin: 'saved', saved_by: 'U9' });
  const copy = { ...folder, queue: 'T1/C1/saved', slack_file: '{}', name: 'a', recorded_at: NOW };
  const inShare = (id: number, file: string, state: string) => ({
    ...{ ...copy, share_id: id, position: 0, slack_file_id: file, state },
  });
  const ledger = await openBefore('020-uploaded-due', {
    channels: [{ ...channel, ...folder, linked_by: 'U1', linked_at: NOW }],
    shares: [message(1), { ...saved(2), saved_to: '1/2' }, { ...saved(3), saved_to: '1/3' }],
    transfers: [
      inShare(1, 'F0', 'filed'),
      ...['F0', 'F1'].map((file) => inShare(2, file, 'filed')),
      ...[inShare(2, 'F2', 'deleted'), inShare(2, 'F3', 'refused')],
      { ...inShare(3, 'F4', 'filed'), folder_id: 3 },
    ],
  });
  const files = ['F0', 'F1', 'F2', 'F3', 'F4'].map((id) => sharedFile({ id }));
  const [lacking] = await ledger.unknownFiles(channel, [share({ ts: '1', files })]);
  expect(lacking?.files.map(({ id }) => id)).toEqual(['F3', 'F4']);
  expect(await ledger.transfersOfShare(1)).toMatchObject([{ slackFileId: 'F0', state: 'filed' }]);
});

it.each([/^01[234]-/, /^01[23]-/, /^012-/])(
  'a ledger of migration 015 keeps its data and gets the earlier migrations that it lacks: %s',
  async (lacking) => {
    const channel = { team: 'T1', channel: 'C1' };
    const folder = { project_id: 1, folder_id: 2, project_title: 'Accounts' };
    const tables = {
      channels: [{ ...channel, ...folder, linked_by: 'U1', linked_at: NOW }],
      shares: [{ ...channel, id: 7, ts: '1', origin: 'event', recorded_at: NOW }],
    };
    const ledger = await openBefore('015-project-title', tables, lacking);
    expect(await ledger.findLink(channel)).toMatchObject({ ...FOLDER, projectTitle: 'Accounts' });
    expect(await ledger.sharesOf({ ...channel, ts: '1' })).toMatchObject([{ id: 7, savedTo: '' }]);
    expect(await ledger.isWatched(channel)).toBe(false);
  },
);

it.each(['008-of-a-newer-version', '999-of-a-newer-version'])(
  'a ledger that a newer version wrote does not open (LEDGER_TOO_NEW): %s',
  async (name) => {
    const dataDir = temporaryFolder();
    await (await openLedger(sqliteDialect(dataDir), NOW)).close();
    const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
    database.prepare('insert into kysely_migration values (?, ?)').run(name, '2026-01-01');
    database.close();
    const refused = openLedger(sqliteDialect(dataDir), NOW);
    await expect(refused).rejects.toMatchObject({ code: 'LEDGER_TOO_NEW' });
  },
);
