import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { folderNumber } from '../../src/core/index.ts';
import { type Ledger, openLedger, postgresDialect, postgresPool } from '../../src/ledger/index.ts';
import { describeLedger } from '../ledger/ledger.contract.ts';
import { folderLink, recording, share, sharedFile } from '../support/builders.ts';
import { claimNext, claimReport, heldCatchUp, holdNext, holdRow } from '../support/claim-next.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type StartedPostgres, startPostgres } from './start-postgres.ts';

const destination = { projectId: 1, folderId: 2 };

let postgres: StartedPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

describeLedger('PostgreSQL', async () => openLedger(dialectOf(await postgres.createDatabase()), 0));

describe('a share whose timestamp no PostgreSQL index accepts', () => {
  // Digits that compress well would fit.
  const random = seededRandom(1);
  function poison() {
    const digits = Array.from({ length: 20_000 }, () => random.below(10)).join('');
    return share({ ts: `1700000002.${digits}` });
  }

  it('fails alone, and does not hold back others of its channel', async () => {
    const ledger = await openLedger(dialectOf(await postgres.createDatabase()), 0);
    onTestFinished(() => ledger.close());
    const refused = { code: 'LEDGER_UNRECORDABLE' };
    const given = recording(poison(), { now: 1 });
    await expect(ledger.recordShare(given)).rejects.toMatchObject(refused);
    const bad = poison();
    const shares = [share({ ts: '1700000001.000000' }), bad, share({ ts: '1700000003.000000' })];
    const channel = { team: 'T1', channel: 'C1' };
    const claim = await heldCatchUp(ledger, channel);
    const found = { channel, reportId: null, shares, destination, now: 1 };
    const unrecordable = [{ share: bad, error: expect.objectContaining(refused) }];
    expect(await ledger.recordFound(claim, found)).toEqual({ files: 2, unrecordable });
    const report = await claimReport(ledger, { now: 5_001, until: 9_000, token: 't' });
    expect((await ledger.filesOfReport(report?.id ?? 0)).states).toEqual({ recorded: 2 });
  });
});

describe('instances on one PostgreSQL', () => {
  let url: string;
  let ledgers: Ledger[];
  beforeEach(async () => {
    url = await postgres.createDatabase();
    ledgers = [];
  });
  afterEach(async () => {
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  });

  const open = async (onError = vi.fn()) => {
    const ledger = await openLedger(dialectOf(url, onError), 0);
    ledgers.push(ledger);
    return ledger;
  };

  it('run the migrations at once, and all start', async () => {
    const opened = await Promise.all([open(), open(), open(), open()]);
    const checks = await Promise.all(opened.map((ledger) => ledger.check()));
    expect(checks).toHaveLength(4);
  });

  it('claim each of 2,000 transfers once with eight concurrent claimers', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    await recordMany(first, { shares: 20, filesEach: 100 });
    const claimers = Array.from({ length: 8 }, (_, index) =>
      claimAll(index % 2 === 0 ? first : second, `claimer-${index}`),
    );
    const claims = await Promise.all(claimers);
    const ids = claims.flat();
    expect(ids).toHaveLength(2_000);
    expect(new Set(ids).size).toBe(2_000);
    const busy = claims.filter((claimed) => claimed.length > 0);
    expect(busy.length).toBeGreaterThan(1);
  });

  it('claim the message of each of 300 shares once with four concurrent notifiers', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    await recordMany(first, { shares: 300, filesEach: 1 });
    const notifiers = [first, second, first, second].map((ledger, index) =>
      claimAllShares(ledger, `notifier-${index}`),
    );
    const ids = (await Promise.all(notifiers)).flat();
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
  });

  it('move the files of a report’s shares while each other share is settled', async () => {
    const ledger = await open();
    const ref = { team: 'T1', channel: 'C1' };
    const reportId = await ledger.createReport({
      ...ref,
      kind: 'catch-up',
      startedBy: null,
      now: 1,
    });
    const shares = Array.from({ length: 60 }, (_, n) => ({
      share: share({
        ts: `1.${n}`,
        files: [sharedFile({ id: `A${n}` }), sharedFile({ id: `B${n}` })],
      }),
      ...{ origin: 'catch-up' as const, destination, reportId, now: 1_000 },
    }));
    for (const one of shares) await ledger.recordShare(one);
    const held: { id: number; token: string }[] = [];
    for (const [n] of shares.entries()) held.push(await claimOne(ledger, `settles-${n}`));
    const elsewhere = { ...destination, folderId: 3 };
    const failed = { problem: { code: 'SERVICE_FAILED' as const, note: null }, dueAt: 2_000 };
    const settled = held
      .toReversed()
      .map((claim) => ledger.postpone(claim, { ...failed, failingSince: 1, now: 1_500 }));
    const moved = ledger.moveWaiting(ref, { from: destination, to: elsewhere, now: 1_500 });
    await expect(Promise.all([moved, ...settled])).resolves.toHaveLength(61);
  });

  it('retry a share, also if the retry and another change each wait for the other', async () => {
    const ledger = await open();
    const { shareId } = await record(ledger, {});
    const claim = await claimOne(ledger, 'refused');
    const problem = { code: 'SERVICE_REFUSED' as const, note: null };
    await ledger.markRefused(claim, { problem, now: 2 });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    // PostgreSQL aborts the transaction whose deadlock_timeout is shorter: the ledger's.
    await other.query(`set deadlock_timeout = '20s'`);
    await other.query('begin');
    await other.query(`select key from jobs where kind = 'message' for update`);
    const retried = ledger.retryShare(shareId, { now: 3 });
    await untilLocked(url);
    const changed = other.query('update transfers set position = position');
    await changed.then(() => other.query('commit'));
    expect(await retried).toBe(1);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'recorded' }]);
  });

  /** Returns the result of a call that begins before another instance has committed its change. */
  async function amid<T>(change: string, call: () => Promise<T>, waiting = 1): Promise<T> {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin');
    await other.query(change);
    const called = call();
    await Promise.race([called, untilLocked(url, waiting)]);
    await other.query('commit');
    return called;
  }

  it('leave files deleted in Slack alone, even if another instance is just resuming them', async () => {
    const ledger = await open();
    const { shareId } = await ledger.recordShare(recording({}, { destination: null, now: 1 }));
    const [parked] = await ledger.transfersOfShare(shareId);
    const deleted = { team: 'T1', what: parked?.slackFileId ?? '' };
    const sendOn = `update transfers set state = 'recorded', project_id = 1, folder_id = 2`;
    await amid(sendOn, () => ledger.refuseDeleted([deleted], 2));
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'refused', problem: 'SLACK_FILE_DELETED' },
    ]);
  });

  it('resume parked files once if two instances ask for it at the same time', async () => {
    const ledger = await open();
    const files = Array.from({ length: 21 }, (_, n) => sharedFile({ id: `F${n}` }));
    await ledger.recordShare(recording({ files }, { destination: null, now: 1 }));
    const channel = { team: 'T1', channel: 'C1' };
    const sendOn = `update transfers set state = 'recorded', project_id = 1, folder_id = 2`;
    const asked = { destination, now: 2, startedBy: 'U1' };
    expect(await amid(sendOn, () => ledger.fileParked(channel, asked))).toBe(0);
    expect(await ledger.findReport(1)).toBeUndefined();
  });

  it('make their lines due at a start, also if the start and another change each wait for the other', async () => {
    const ledger = await open();
    for (const ts of ['1.1', '1.2']) await record(ledger, { ts });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(
      `insert into messages (kind, about, ts) values ('share', 1, '1'), ('share', 2, '1')`,
    );
    await other.query('delete from jobs');
    await other.query(`set deadlock_timeout = '20s'`);
    await other.query('begin');
    const inTheWay = (key: number) =>
      other.query(
        `insert into jobs (kind, key, queue, due_at) values ('message', 'share/${key}', '1', 99)`,
      );
    await inTheWay(2);
    const due = ledger.makeOpenLinesDue(9);
    await untilLocked(url);
    await inTheWay(1).then(() => other.query('commit'));
    await due;
    const lease = { now: 9, until: 99, token: 't' };
    const lines = [await ledger.claimMessage(lease), await ledger.claimMessage(lease)];
    expect(lines.map((row) => row?.about)).toEqual([1, 2]);
  });

  it('file nothing of a backfill whose message is being deleted in Slack', async () => {
    const ledger = await open();
    const channel = { team: 'T1', channel: 'C1' };
    const { shareId } = await ledger.recordShare(
      recording({}, { origin: 'backfill', destination: null, now: 1 }),
    );
    await ledger.beginBackfill(channel, { startedBy: 'U1', now: 1 });
    const claim = await holdRow(ledger, 'backfill', { now: 2, until: 60_000, token: 't' });
    const refuse = `update transfers set state = 'refused', problem = 'SLACK_FILE_DELETED'`;
    await amid(refuse, () => ledger.fileBackfill(claim, { destination, now: 3 }));
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'refused' }]);
  });

  it('wait only briefly for their leases on an instance that hangs in a transaction', async () => {
    const ledger = await open();
    await record(ledger, {});
    const { token } = await claimOne(ledger, 'a');
    const frozen = postgresPool(url, () => undefined);
    onTestFinished(() => frozen.end());
    const client = await frozen.connect();
    onTestFinished(() => client.release(true));
    await client.query('begin');
    await client.query('update jobs set attempts = attempts');
    expect(await ledger.sweepLeases(['upload', 'folder'], { now: 10 ** 6 })).toBe(0);
    // The database ends the hanging transaction.
    const renewed = await ledger.renewLeases({ tokens: [token], until: 10 ** 6 });
    expect(renewed).toEqual(new Set([token]));
    expect(await ledger.sweepLeases(['upload', 'folder'], { now: 10 ** 6 })).toBe(1);
  });

  describe('and a hold', () => {
    const gone = { code: 'DESTINATION_GONE' as const, note: null };
    const scope = folderNumber(destination);
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
      await record(ledger, {});
      const refused = { scope, problem: gone, reason: gone.code, now: 2_000, scale: 1 };
      await ledger.openHold({ ...refused, claim: await claimOne(ledger, 'a') });
    });
    const claimAll = async () => {
      const asked = { now: 9_000, until: 10_000, afterQueue: '', largest: null };
      const found = ['x', 'y', 'z'].map((token) => ledger.claimFiling({ ...asked, token }));
      return (await Promise.all(found)).filter((one) => one !== null).length;
    };

    it('give back at its end also the job that another instance is writing', async () => {
      await record(ledger, { ts: '2' });
      await amid('update jobs set attempts = attempts', () => ledger.endHold(scope, 3_000));
      expect(await claimAll()).toBe(2);
    });

    it('leave no job behind that is made while another instance ends it', async () => {
      await amid(`delete from holds`, () => record(ledger, { ts: '2' }));
      expect(await claimAll()).toBe(1);
    });
  });

  describe('and a link that another instance is changing', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = folderLink();
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
      await ledger.setLink(ref, link);
    });

    it.each([
      [
        'a channel that is',
        `insert into channels (team, channel, project_id, folder_id)
        values ('T1', 'C2', 1, 2)`,
      ],
      ['an unlinked channel that is', `update channels set project_id = 1, folder_id = 2`],
    ])('file what is shared in %s being linked', async (_, change) => {
      await ledger.removeLink(ref);
      const channel = change.startsWith('insert') ? 'C2' : 'C1';
      const given = recording({ channel }, { destination: null, now: 1 });
      const { shareId } = await amid(change, () => ledger.recordShare(given));
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'recorded', destination },
      ]);
    });

    it('move a link to a channel that is just being noted', async () => {
      const note = `insert into channels (team, channel) values ('T1', 'C2')`;
      await amid(note, () => ledger.moveChannel(ref, { to: 'C2', now: 2_000 }));
      expect(await ledger.findLink({ team: 'T1', channel: 'C2' })).toMatchObject(destination);
    });

    it('file what is shared in an unlinked channel while a link moves to it', async () => {
      const inIt = (ts: string) => recording({ channel: 'C2', ts }, { destination: null, now: 1 });
      await ledger.recordShare(inIt('1'));
      const move = async () => {
        const moved = ledger.moveChannel(ref, { to: 'C2', now: 2_000 });
        await untilLocked(url);
        const [{ shareId }] = await Promise.all([ledger.recordShare(inIt('2')), moved]);
        return shareId;
      };
      const linked = `update channels set linked_at = linked_at where channel = 'C1'`;
      const shareId = await amid(linked, move, 2);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'recorded', destination },
      ]);
    });
  });

  it('record a share once when all of them receive it at the same time', async () => {
    const opened = await Promise.all([open(), open(), open()]);
    const files = [sharedFile(), sharedFile({ id: 'F2' })];
    const given = recording({ files }, { destination, now: 1 });
    const recorded = await Promise.all(opened.map((ledger) => ledger.recordShare(given)));
    expect(recorded.map((one) => one.transfers).toSorted()).toEqual([0, 0, 2]);
    expect(new Set(recorded.map((one) => one.shareId)).size).toBe(1);
  });

  it('let one of two identical files into the folder, and make the other wait', async () => {
    const opened = await Promise.all([open(), open()]);
    for (const ts of ['1', '2']) await record(opened[0], { ts });
    for (const [index, ledger] of opened.entries()) {
      const claim = await claimOne(ledger, `twin-${index}`);
      const upload = {
        projectId: 1,
        attachmentId: index,
        byteSize: 10,
        serviceTime: 1,
        now: 2_000,
      };
      await ledger.markUploaded(claim, upload);
    }
    const lease = { now: 3_000, token: 'create' };
    await Promise.allSettled(opened.map((ledger) => claimNext(ledger, lease)));
    const twins = [
      ...(await opened[0].transfersOfShare(1)),
      ...(await opened[0].transfersOfShare(2)),
    ];
    expect(twins.map(({ state }) => state).toSorted()).toEqual(['creating', 'uploaded']);
  });

  it('replace broken connections, idle or in the middle of a transaction', async () => {
    const onError = vi.fn();
    const ledger = await open(onError);
    // Each call is a transaction of its own, unlike the recording of shares, which is batched.
    const begin = (channel: string) =>
      ledger.beginBackfill({ team: 'T1', channel }, { startedBy: 'U1', now: 1 });
    const writing = Promise.allSettled(
      Array.from({ length: 400 }, (_, index) => begin(`C${index}`)),
    );
    await breakConnections(url);
    const outcomes = await writing;
    const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    await vi.waitUntil(
      () =>
        ledger.check().then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    );
    expect(onError).toHaveBeenCalled();
    for (let index = 0; index < 400; index += 1) await record(ledger, { ts: `${index}` });
    expect(await ledger.countActive()).toBe(400);
  });

  it('reject calls while the server is down, and work again when it is back', async () => {
    const ledger = await open();
    await postgres.stop();
    await expect(ledger.check()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    await postgres.restart();
    await expect(ledger.check()).resolves.toBeUndefined();
  });
});

function dialectOf(url: string, onError: (error: Error) => void = () => undefined) {
  return postgresDialect(postgresPool(url, onError));
}

function record(ledger: Ledger, overrides: Parameters<typeof recording>[0]) {
  return ledger.recordShare(recording(overrides, { destination, now: 1 }));
}

async function recordMany(
  ledger: Ledger,
  { shares, filesEach }: { shares: number; filesEach: number },
): Promise<void> {
  for (let ts = 0; ts < shares; ts += 1) {
    const files = Array.from({ length: filesEach }, (_, n) => sharedFile({ id: `F${n}` }));
    await record(ledger, { ts: `${ts}`, channel: `C${ts % 5}`, files });
  }
}

const claimOne = (ledger: Ledger, token: string) => holdNext(ledger, { now: 1_000, token });

/**
 * Claims until nothing is left: with concurrent claimers, an empty result may only mean locked
 * rows.
 */
async function claimAll(ledger: Ledger, name: string): Promise<number[]> {
  const ids: number[] = [];
  while ((await ledger.nextFiling({ largest: null }))?.dueAt === 1) {
    const token = `${name}-${ids.length}`;
    const transfer = await claimNext(ledger, { now: 1_000, token });
    if (transfer) ids.push(transfer.id);
  }
  return ids;
}

async function claimAllShares(ledger: Ledger, token: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const due = await ledger.nextDue('message');
    if (due === null || due > 5_000) return ids;
    const share = await ledger.claimMessage({ now: 5_000, until: 9_000, token });
    if (share) ids.push(share.about);
  }
}

/** Resolves once so many statements in a database wait for a lock. */
async function untilLocked(url: string, waiting = 1): Promise<void> {
  const text = `select pid from pg_stat_activity
    where datname = '${new URL(url).pathname.slice(1)}' and wait_event_type = 'Lock'`;
  const areWaiting = async () => ((await postgres.query(text)).rowCount ?? 0) >= waiting;
  await vi.waitUntil(areWaiting, { timeout: 20_000 });
}

/** Breaks the connections to a database from the server's side; returns how many. */
async function breakConnections(url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1);
  const { rowCount } = await postgres.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  return rowCount ?? 0;
}
