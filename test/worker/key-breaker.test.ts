import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unlessAborted } from '../../src/base/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { type ServiceClient, ServiceError } from '../../src/service/index.ts';
import type { Upload } from '../../src/service/upload.ts';
import { SlackCallError } from '../../src/slack/index.ts';
import type { Share } from '../../src/transfers/index.ts';
import { filing, KeyBreaker, type WorkerContext } from '../../src/worker/index.ts';
import { heldTransfers } from '../../src/worker/job.ts';
import { viewFolder } from '../../src/worker/view-folder.ts';
import { folderLink, recording, sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { running } from '../support/running.ts';
import { claimJob } from './claim-job.ts';
import { contextOf } from './context-of.ts';
import { createFakeInbox, type FakeInbox } from './fake-inbox.ts';
import { type FilingCalls, freeSlot } from './model-service.ts';

const NOW = 1_800_000_000_000;
const LINK = folderLink({ folderName: 'Plans', linkedBy: 'U0ADA', linkedAt: NOW });
const UPLOAD: Upload = { attachmentId: 7, sentBytes: 5, serviceTime: NOW };

let clock: FakeClock;
let ledger: Ledger;
/** The errors that the service returns for an upload and a list; null: success; 'none': no answer. */
let answers: { upload: ServiceError | null; list: ServiceError | 'none' | null };
let lists: number[];
/** How many downloads and uploads there were. */
let downloads: number;
let uploads: number;
let inbox: FakeInbox;
let breakers: KeyBreaker[];
let processes: ReturnType<typeof running>[];
let log: ReturnType<typeof createListLogger>;
/** When the worker was last woken. */
let woken: number;

beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
  await ledger.beginRun(NOW);
  answers = { upload: null, list: null };
  inbox = createFakeInbox();
  log = createListLogger();
  [lists, downloads, uploads, breakers, processes, woken] = [[], 0, 0, [], [], 0];
});
afterEach(async () => {
  await Promise.all(processes.map(({ stop }) => stop()));
  await ledger.close();
});

const refused = (code: ServiceError['code'] = 'SERVICE_UNAUTHORIZED') =>
  new ServiceError(code, code, { retry: 'never', sent: 'yes', status: 200 });
const failing = (code: ServiceError['code'], status: number) =>
  new ServiceError(code, code, { retry: 'later', sent: 'yes', status });
const unreachable = new ServiceError('SERVICE_UNREACHABLE', 'x', { retry: 'later', sent: 'no' });

const service: FilingCalls & Pick<ServiceClient, 'peekFiles'> = {
  bulkSlot: async () => freeSlot,
  createFiles: async () => [null],
  listFolders: () => Promise.reject(new Error('not asked for')),
  hasListedFolders: () => false,
  creators: new Set(),
  listFiles: () => Promise.reject(new Error('not asked for')),
  peekFiles: async (_destination, { signal }) => {
    lists.push(clock.now() - NOW);
    if (answers.list === 'none') return unlessAborted(new Promise(() => undefined), signal);
    if (answers.list) throw answers.list;
    return { entries: [], whole: true, askedAt: clock.now(), serviceTime: null };
  },
  uploadFile: async (_projectId, source) => {
    (await source.open(new AbortController().signal)).destroy();
    uploads += 1;
    if (answers.upload) throw answers.upload;
    return UPLOAD;
  },
};

/** Starts the breaker of one process; returns the context of its jobs. */
async function start(operator: string | null = null): Promise<WorkerContext> {
  const process = running();
  processes.push(process);
  const breaker = new KeyBreaker({
    ...process,
    operator,
    ledger,
    service,
    workspace: inbox,
    clock,
    logger: log.logger,
    wake: () => {
      woken = clock.now();
    },
  });
  breakers.push(breaker);
  await breaker.start();
  const download = async () => {
    downloads += 1;
    return { stream: Readable.from(['hello']), size: 5 };
  };
  return contextOf({
    ...{ ledger, service, clock, logger: log.logger, backoffScale: 1_000, keyBreaker: breaker },
    workspace: { download, fileInfo: async (file) => file },
  });
}

async function record(given: Partial<Share> = {}): Promise<number> {
  return (await ledger.recordShare(recording(given, { now: clock.now() }))).shareId;
}

/** Uploads a due file and creates its record, as the worker does; returns its success. */
async function file(context: WorkerContext): Promise<boolean> {
  const before = uploads;
  await runNext(context);
  if (uploads === before || answers.upload) return false;
  await runNext(context);
  return true;
}

async function runNext(context: WorkerContext): Promise<void> {
  const job = await claimJob(filing(context, 1), { now: clock.now() });
  if (!job) throw new Error('nothing is due');
  await job();
}

/** Lets time pass until the key has been tried once more and the next trial is scheduled. */
async function tried(ms: number): Promise<void> {
  const before = lists.length;
  await clock.advance(ms);
  await expect
    .poll(() => [lists.length, clock.sleepers()], { interval: 1 })
    .toEqual([before + 1, 1]);
}

/** Lets time pass until the key is accepted and the waiting files are due. */
async function accepted(ms: number): Promise<void> {
  await clock.advance(ms);
  await expect.poll(() => woken, { interval: 1 }).toBe(clock.now());
  expect(await (await ledger.nextFiling({ largest: null }))?.dueAt).toBe(clock.now());
}

async function outage({
  linked = true,
  operator = null,
}: {
  linked?: boolean;
  operator?: string | null;
} = {}): Promise<WorkerContext> {
  const filing = await start(operator);
  if (linked) await ledger.setLink({ team: 'T1', channel: 'C1' }, LINK);
  await record();
  answers = { upload: refused(), list: refused() };
  await file(filing);
  return filing;
}

describe('a key that the service rejects', () => {
  it('stops uploads and downloads at once, while new files wait in the ledger', async () => {
    const filing = await outage();
    const shareId = await record({ ts: '1700000001.000100' });
    expect(await file(filing)).toBe(false);
    const transfers = await ledger.transfersOfShare(shareId);
    expect(transfers).toMatchObject([{ state: 'recorded', problem: 'SERVICE_UNAUTHORIZED' }]);
    const held = { token: 't', signal: new AbortController().signal, leaseUntil: () => NOW * 2 };
    const look = viewFolder(heldTransfers(transfers, held), [], filing);
    await expect(look).rejects.toMatchObject({ code: 'SERVICE_UNAUTHORIZED', sent: 'no' });
    expect([uploads, lists.length, downloads]).toEqual([1, 0, 1]);
    expect(await ledger.countActive()).toBe(2);
  });

  it('stops also what an upload asks Slack first: a file’s data, or its size', async () => {
    const filing = await outage();
    let asked = 0;
    filing.workspace.fileInfo = async (file) => {
      asked += 1;
      return file;
    };
    const unknown = [{ size: null }, { fileAccess: 'check_file_info' }].map(sharedFile);
    for (const [nth, one] of unknown.entries()) {
      await record({ ts: `1700000001.00010${nth}`, files: [one] });
      expect(await file(filing)).toBe(false);
    }
    expect([downloads, asked, await ledger.countActive()]).toEqual([1, 0, 3]);
  });

  it('stops an upload that waited for its slot, whose failure says nothing about the key', async () => {
    const filing = await start();
    const shareId = await record();
    await record({ ts: '1700000001.000100' });
    answers.upload = refused();
    const [asked, place, left] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const slow: Partial<FilingCalls> = {
      ...service,
      uploadFile: async (_projectId, { open }) => {
        asked?.resolve();
        await place?.promise;
        await open(new AbortController().signal).finally(() => left?.promise);
        return UPLOAD;
      },
    };
    const waiting = file({ ...filing, service: { ...filing.service, ...slow } });
    await asked?.promise;
    await file(filing);
    place?.resolve();
    await accepted(10_000);
    left?.resolve();
    expect(await waiting).toBe(false);
    const [waited] = await ledger.transfersOfShare(shareId);
    expect(waited).toMatchObject({ state: 'recorded', problem: 'SERVICE_UNAUTHORIZED' });
    expect([downloads, breakers[0]?.state]).toEqual([1, 'half-open']);
    answers.upload = null;
    expect(await file(filing)).toBe(true);
  });

  it('is tried with a list only, after 10 s, then less and less often, up to every 5 minutes', async () => {
    await outage();
    for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
      const before = lists.length;
      await clock.advance(seconds * 1_000 - 1);
      expect(lists).toHaveLength(before);
      await tried(1);
    }
    expect(uploads).toBe(1);
  });

  it('makes the waiting files due at once when it is accepted again', async () => {
    const filing = await outage();
    await tried(10_000);
    answers = { upload: null, list: null };
    await accepted(20_000);
    expect(await file(filing)).toBe(true);
    expect(lists).toHaveLength(2);
  });

  it.each(['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND', 'SERVICE_REFUSED'] as const)(
    'counts as accepted when its trial is answered with %s',
    async (code) => {
      await outage();
      answers.list = refused(code);
      await accepted(10_000);
    },
  );

  it.each([
    ['cannot be reached', unreachable],
    ['is busy', failing('SERVICE_RATE_LIMITED', 429)],
    ['is down', failing('SERVICE_FAILED', 500)],
    ['returns an unreadable answer', failing('SERVICE_BAD_ANSWER', 200)],
  ])('is not assumed to be accepted while the service %s, which is logged', async (_, error) => {
    await outage();
    answers.list = error;
    await tried(10_000);
    expect(breakers[0]?.state).toBe('open');
    expect(log.lines.at(-1)?.text).toMatch(/not known yet/);
    answers.list = null;
    await accepted(20_000);
  });

  it('is tried by the files themselves after five trials that said nothing of it', async () => {
    const filing = await outage();
    await tried(10_000);
    answers = { upload: null, list: failing('SERVICE_BAD_ANSWER', 200) };
    for (const seconds of [20, 40, 80, 160]) await tried(seconds * 1_000);
    await accepted(300_000);
    expect(await file(filing)).toBe(true);
  });

  it('is tried less and less often, and reported once, when it can list but not upload', async () => {
    const filing = await outage();
    answers.list = null;
    for (const waitMs of [10_000, 20_000, 40_000]) {
      await clock.advance(waitMs - 1);
      expect(breakers[0]?.state).toBe('open');
      await accepted(1);
      await file(filing);
    }
    expect(uploads).toBe(4);
    expect(inbox.notified).toHaveLength(1);
  });

  it('is not assumed after any other failure, so that later calls pass', async () => {
    const filing = await start();
    answers.upload = refused('SERVICE_FORBIDDEN');
    for (let call = 0; call < 3; call += 1) {
      await record({ ts: `170000000${call}.000100` });
      expect(await file(filing)).toBe(false);
    }
    expect(uploads).toBe(3);
    expect(clock.sleepers()).toBe(0);
  });
});

describe('the notice about a rejected key', () => {
  it('goes once to the member who linked the channel, and says what to fix', async () => {
    await outage();
    await tried(10_000);
    await tried(20_000);
    expect(inbox.notified).toEqual([
      expect.stringMatching(/^U0ADA: .*a valid key\..*automatically/s),
    ]);
  });

  it('goes to nobody when nobody linked the channel, then to the linker of the next one that waits', async () => {
    const filing = await outage({ linked: false });
    await tried(10_000);
    expect(inbox.notified).toEqual([]);
    await ledger.setLink({ team: 'T1', channel: 'C2' }, { ...LINK, linkedBy: 'U0BEN' });
    await record({ channel: 'C2' });
    await file(filing);
    await tried(20_000);
    expect(inbox.notified.map((text) => text.slice(0, 5))).toEqual(['U0BEN']);
  });

  it('is not sent when the key is accepted at the first trial', async () => {
    await outage();
    answers.list = null;
    await accepted(10_000);
    expect(inbox.notified).toEqual([]);
  });

  it('is not sent again by an instance that learns late that the key is accepted', async () => {
    const other = await start();
    const filing = await outage();
    await record({ ts: '1700000001.000100' });
    await file(other);
    await clock.advance(10_000);
    await expect.poll(() => [lists.length, clock.sleepers()], { interval: 1 }).toEqual([2, 2]);
    await ledger.dropKeyNotice();
    answers = { upload: null, list: null };
    await clock.advance(20_000);
    await expect.poll(() => [lists.length, clock.sleepers()], { interval: 1 }).toEqual([4, 0]);
    await file(filing);
    expect(inbox.notified).toHaveLength(1);
  });

  /** Has both Ada and Ben linked a channel whose files wait for the key, and tries the key. */
  async function twoLinkers() {
    const filing = await start();
    for (const [channel, linkedBy] of [
      ['C1', 'U0ADA'],
      ['C2', 'U0BEN'],
    ] as const) {
      await ledger.setLink({ team: 'T1', channel }, { ...LINK, linkedBy });
      await record({ channel });
    }
    answers = { upload: refused(), list: refused() };
    for (let n = 0; n < 2; n += 1) await file(filing);
    await tried(10_000);
    await tried(20_000);
  }
  const unlessAda = (userId: string) =>
    userId === 'U0ADA'
      ? Promise.reject(new SlackCallError('SLACK_REFUSED', 'no', { reason: 'user_not_found' }))
      : Promise.resolve();

  it.each<[string, (plain: FakeInbox) => Partial<FakeInbox>]>([
    ['was deactivated', () => ({ deactivated: ['U0ADA'] })],
    [
      'is sent no messages',
      ({ notify }) => ({ notify: (id, body) => unlessAda(id).then(() => notify(id, body)) }),
    ],
  ])('goes once to the next who linked a channel when the first %s', async (_, change) => {
    Object.assign(inbox, change({ ...inbox }));
    await twoLinkers();
    expect(inbox.notified.map((text) => text.slice(0, 5))).toEqual(['U0BEN']);
  });

  it('is tried again later when nobody who linked a channel can be notified', async () => {
    inbox.deactivated = ['U0ADA', 'U0BEN'];
    await twoLinkers();
    expect(inbox.notified).toEqual([]);
    inbox.deactivated = ['U0ADA'];
    await tried(40_000);
    expect(inbox.notified).toHaveLength(1);
  });

  it('is sent by one instance only', async () => {
    const other = await start();
    await outage();
    await record({ ts: '1700000001.000100' });
    await file(other);
    await clock.advance(10_000);
    await expect
      .poll(() => [lists, clock.sleepers()], { interval: 1 })
      .toEqual([[10_000, 10_000], 2]);
    expect(inbox.notified).toHaveLength(1);
  });

  it('is sent later when Slack does not take it', async () => {
    inbox.slackIsDown = true;
    await outage();
    await tried(10_000);
    expect(inbox.notified).toEqual([]);
    inbox.slackIsDown = false;
    await tried(20_000);
    expect(inbox.notified).toHaveLength(1);
  });

  it('is sent again in the next outage', async () => {
    const filing = await outage();
    await tried(10_000);
    answers = { upload: null, list: null };
    await accepted(20_000);
    await file(filing);
    await record({ ts: '1700000002.000100' });
    answers = { upload: refused(), list: refused() };
    await file(filing);
    await tried(10_000);
    expect(inbox.notified).toHaveLength(2);
  });
});

describe('the operator, when the key is rejected', () => {
  it('is notified once instead of the linker, even when nobody linked the channel', async () => {
    await outage({ operator: 'UOPERATOR1', linked: false });
    await tried(10_000);
    await tried(20_000);
    expect(inbox.notified).toEqual([expect.stringMatching(/^UOPERATOR1: .*put in a valid key/s)]);
  });

  it('is named to the linker of the channel when not a member', async () => {
    await outage({ operator: 'Ada Lovelace' });
    await tried(10_000);
    expect(inbox.notified).toEqual([expect.stringContaining('Please ask Ada Lovelace to put in')]);
  });
});

describe('a process that stops', () => {
  it('does not take the end of a trial under way for an accepted key', async () => {
    await outage();
    answers.list = 'none';
    await clock.advance(10_000);
    await expect.poll(() => lists, { interval: 1 }).toHaveLength(1);
    await processes[0]?.stop();
    expect(breakers[0]?.state).toBe('open');
    expect((await ledger.nextFiling({ largest: null }))?.dueAt).toBeGreaterThan(clock.now());
  });
});

describe('a process that starts', () => {
  it('tries the key first while files wait for it, uploads nothing, and notifies nobody again', async () => {
    await outage();
    await tried(10_000);
    await processes[0]?.stop();
    await start();
    expect(breakers[1]?.state).toBe('open');
    await tried(0);
    expect(lists).toHaveLength(2);
    expect([uploads, inbox.notified.length]).toEqual([1, 1]);
  });

  it('lets calls pass when no file waits for the key, and reports the next outage', async () => {
    await ledger.claimKeyNotice(NOW);
    await outage();
    await tried(10_000);
    expect(inbox.notified).toHaveLength(1);
  });
});
