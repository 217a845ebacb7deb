import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Destination, folderNumber, nextInFolder } from '../../src/core/index.ts';
import {
  type ClaimedFiling,
  type Ledger,
  LedgerError,
  openLedger,
  postgresDialect,
  postgresPool,
  type Transfer,
} from '../../src/ledger/index.ts';
import { folderLink, recording, sharedFile } from '../support/builders.ts';
import { SEED } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type StartedPostgres, startPostgres } from './start-postgres.ts';

/*
 * Workers of several instances on one PostgreSQL file shares into folders of a model, while they are
 * killed and frozen at any step, channels are relinked, and folders refuse for a while. Time is a
 * number that they all move on.
 */

const CHANNELS = ['C1', 'C2', 'C3'];
const FOLDERS = [11, 12, 21].map((folderId) => ({
  projectId: Math.floor(folderId / 10),
  folderId,
}));
const SHARES = 80;
const INSTANCES = 3;
const WORKERS = 9;
const LEASE_MS = 30_000;

/** Ends a worker at once, with whatever it has claimed. */
class Killed extends Error {}

let postgres: StartedPostgres;
let ledgers: Ledger[];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());
afterEach(() => Promise.all(ledgers.map((ledger) => ledger.close())));

describe('jobs on PostgreSQL', () => {
  it('are each done once, whoever is killed, frozen, relinked or held', async ({ signal }) => {
    const url = await postgres.createDatabase();
    const open = () => openLedger(postgresDialect(postgresPool(url, () => undefined)), 0);
    ledgers = await Promise.all(Array.from({ length: INSTANCES }, open));
    const world = createWorld();
    const [ledger] = ledgers as [Ledger];
    for (const channel of CHANNELS) await relink(ledger, channel, world);
    const sharing = shareAll(world);
    const workers = Array.from({ length: WORKERS }, (_, nth) => work(ledgerOf(nth), world));
    const disturbing = disturb(world);
    try {
      await Promise.race([Promise.all([sharing, ...workers]), aborted(signal)]);
    } finally {
      world.isOver = true;
      await disturbing;
    }
    const created = world.records.map(({ transfer }) => transfer).toSorted((a, b) => a - b);
    const ids = `select cast(id as integer) as id from transfers where state = 'filed' order by id`;
    const { rows: filed } = await postgres.query(ids, url);
    expect(created).toEqual(filed.map(({ id }) => id));
    expect(created).toHaveLength(world.files);
    expect(await ledger.enqueueMissing(world.now)).toBe(0);
    expect(await ledger.listHolds()).toEqual([]);
    const left = `select kind, key from jobs where kind in ('upload', 'folder', 'hold')`;
    expect((await postgres.query(left, url)).rows).toEqual([]);
    for (const [what, count] of Object.entries(world.counts))
      expect(count, what).toBeGreaterThan(0);
  });
});

type World = ReturnType<typeof createWorld>;

function createWorld() {
  return {
    random: seededRandom(SEED),
    now: 1_000_000,
    files: 0,
    isShared: false,
    isOver: false,
    /** What the service's folders hold. */
    records: [] as { folder: string; transfer: number; id: number }[],
    refusing: new Set<string>(),
    counts: { kills: 0, freezes: 0, 'leases lost': 0, holds: 0, probes: 0, moved: 0, found: 0 },
  };
}

const ledgerOf = (nth: number): Ledger => ledgers[nth % INSTANCES] ?? expect.unreachable();

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );

/** Delivers each share to two instances at once, as Slack may. */
async function shareAll(world: World): Promise<void> {
  const { random } = world;
  for (let nth = 0; nth < SHARES; nth += 1) {
    const channel = CHANNELS[random.below(CHANNELS.length)] ?? '';
    const count = 1 + random.below(3);
    const files = Array.from({ length: count }, (_, one) =>
      sharedFile({ id: `F${nth}x${one}`, name: `${nth}-${one}.txt`, size: 10 }),
    );
    const link = await ledgerOf(nth).findLink({ team: 'T1', channel });
    const ts = `${1_700_000_000 + nth}.000100`;
    const given = recording({ channel, ts, files }, { destination: link, now: world.now });
    await Promise.all([0, 1].map((one) => ledgerOf(nth + one).recordShare(given)));
    world.files += count;
    world.now += random.below(500);
  }
  world.isShared = true;
}

/** Relinks channels, and has folders refuse and accept again. */
async function disturb(world: World): Promise<void> {
  const { random } = world;
  for (let nth = 0; !world.isOver; nth += 1) {
    const what = random.below(world.isShared ? 6 : 3);
    const folder = folderNumber(FOLDERS[random.below(FOLDERS.length)] as Destination);
    // Of those who wait for each other PostgreSQL ends one, which may be this one at each try.
    if (what === 0)
      await relink(ledgerOf(nth), CHANNELS[random.below(3)] ?? '', world).catch(unlessGaveWay);
    else if (what === 1) world.refusing.add(folder);
    else world.refusing.delete(folder);
    world.now += random.below(2_000);
    await nextTurn();
  }
}

function unlessGaveWay(error: unknown): void {
  if (!(error instanceof LedgerError && error.code === 'LEDGER_UNAVAILABLE')) throw error;
}

async function relink(ledger: Ledger, channel: string, world: World): Promise<void> {
  const ref = { team: 'T1', channel };
  const to = FOLDERS[world.random.below(FOLDERS.length)] as Destination;
  const before = await ledger.findLink(ref);
  await ledger.setLink(ref, folderLink({ ...to, linkedAt: world.now }));
  if (before === null || world.random.below(2) === 0) return;
  const moved = await ledger.moveWaiting(ref, { from: before, to, now: world.now });
  world.counts.moved += moved;
}

/** Claims and does jobs until all files are filed; a killed worker is followed by another. */
async function work(ledger: Ledger, world: World): Promise<void> {
  const { random, counts } = world;
  const isOpen = async () =>
    !world.isShared ||
    (await ledger.countActive()) > 0 ||
    (await ledger.nextFiling({ largest: null })) !== null;
  while (await isOpen()) {
    await nextTurn();
    world.now += random.below(100);
    const lease = { now: world.now, until: world.now + LEASE_MS, token: random.id() };
    const claimed = await ledger.claimFiling({ ...lease, afterQueue: '', largest: null });
    if (!claimed) {
      world.now += random.below(2_000);
      await ledger.sweepLeases(['upload', 'folder', 'hold'], { now: world.now });
      continue;
    }
    if (claimed.probe) counts.probes += 1;
    const run = createRun(ledger, world, lease);
    try {
      if (claimed.kind === 'upload') await upload(claimed, run);
      else await fileFolder(claimed, run);
    } catch (error) {
      const isLost = error instanceof LedgerError && error.code === 'LEASE_LOST';
      if (isLost) counts['leases lost'] += 1;
      else if (!(error instanceof Killed)) unlessGaveWay(error);
    }
  }
}

type JobRun = ReturnType<typeof createRun>;

/** What a worker does under one claim. */
function createRun(
  ledger: Ledger,
  world: World,
  { token, until }: { token: string; until: number },
) {
  const { random, counts } = world;
  return {
    ledger,
    world,
    token,
    /** Before each step the worker may die, or be frozen until others have taken its job. */
    step: async () => {
      const fate = random.below(40);
      if (fate === 0) {
        counts.kills += 1;
        throw new Killed();
      }
      if (fate === 1) {
        counts.freezes += 1;
        world.now += LEASE_MS + 1;
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      }
    },
    /** As before each request that cannot be taken back: no time passes until it is sent. */
    assertHeld: () => {
      if (world.now >= until) throw new Killed();
    },
  };
}

async function upload(claimed: ClaimedFiling & { kind: 'upload' }, run: JobRun): Promise<void> {
  const { ledger, world, token } = run;
  const { id, destination } = claimed.transfer;
  const { projectId, folderId } = destination ?? expect.unreachable('it has no folder');
  await run.step();
  if (world.refusing.has(folderNumber({ projectId, folderId })))
    return hold(run, { id, scope: folderNumber({ projectId, folderId }) });
  const attachmentId = 1 + world.random.below(2 ** 30);
  const uploaded = { projectId, attachmentId, byteSize: 10, serviceTime: null, now: world.now };
  await ledger.markUploaded({ id, token }, uploaded);
  await passed(claimed, run);
}

async function fileFolder(claimed: ClaimedFiling & { kind: 'folder' }, run: JobRun): Promise<void> {
  const { ledger, world, token } = run;
  const { destination, probe, attempts } = claimed;
  const unfiled = await ledger.unfiledIn(destination);
  await run.step();
  const plan = nextInFolder(unfiled, { now: world.now, attempts, alone: probe !== null });
  for (const one of plan.look) await look(one, { destination, run });
  if (plan.create.length > 0) await create(plan.create, claimed, run);
  await run.step();
  const left = await ledger.unfiledIn(destination);
  const { dueAt } = nextInFolder(left, { now: world.now });
  await ledger.endJob({ token }, { dueAt });
}

/** Finds out what became of a create that nobody heard of. */
async function look(
  { id }: Transfer,
  { destination, run }: { destination: Destination; run: JobRun },
): Promise<void> {
  const { ledger, world, token } = run;
  const folder = folderNumber(destination);
  const record = world.records.find((one) => one.folder === folder && one.transfer === id);
  await run.step();
  if (!record) return ledger.markAbsent({ id, token });
  world.counts.found += 1;
  await ledger.markFiled({ claim: { id, token }, recordId: record.id, now: world.now });
}

async function create(
  wanted: readonly Transfer[],
  claimed: ClaimedFiling & { kind: 'folder' },
  run: JobRun,
): Promise<void> {
  const { ledger, world, token } = run;
  const folder = folderNumber(claimed.destination);
  const ids = wanted.map(({ id }) => id);
  const intent = { token, ids, serviceTime: null, now: world.now };
  const announced = await ledger.announceCreates(intent);
  await run.step();
  run.assertHeld();
  if (world.refusing.has(folder)) {
    for (const { id } of announced) await ledger.markNotCreated({ id, token });
    const [first] = announced;
    return first && hold(run, { id: first.id, scope: folder });
  }
  for (const { id: transfer } of announced)
    world.records.push({ folder, transfer, id: world.records.length + 1 });
  for (const { id } of announced) {
    await run.step();
    const record = world.records.find(({ transfer }) => transfer === id);
    const recordId = record?.id ?? expect.unreachable();
    await ledger.markFiled({ claim: { id, token }, recordId, now: world.now });
  }
  if (announced.length > 0) await passed(claimed, run);
}

/** The folder refuses: it is held, and the file waits; or this file only, once others have passed. */
async function hold(run: JobRun, { id, scope }: { id: number; scope: string }): Promise<void> {
  const { ledger, world, token } = run;
  const { now } = world;
  const reason = 'DESTINATION_GONE' as const;
  const problem = { code: reason, note: null };
  const refused = { claim: { id, token }, scope, reason, problem, now, scale: 0.1 };
  const opened = await ledger.openHold(refused);
  if (opened?.isNew) world.counts.holds += 1;
  if (opened) return;
  const again = { problem: null, dueAt: now + 1_000, failingSince: now, now };
  await ledger.postpone({ id, token }, again);
}

/** What a probe could do ends its hold. */
async function passed({ probe }: ClaimedFiling, { ledger, world, step }: JobRun): Promise<void> {
  await step();
  if (probe) await ledger.endHold(probe.scope, world.now);
}
