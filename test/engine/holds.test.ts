import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Destination, Share } from '../../src/core/index.ts';
import { filing } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { type ServiceClient, ServiceError } from '../../src/service/index.ts';
import { SlackCallError, SlackFileError } from '../../src/slack/index.ts';
import { notifyOfFolder } from '../../src/surfaces/notices/notify-hold.ts';
import {
  DESTINATION,
  fileRecord,
  folderLink,
  freeSlot,
  recording,
  sharedFile,
} from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { claimJob } from './claim-job.ts';
import { contextOf, noticesOf, type WholeContext } from './context-of.ts';
import { createFakeInbox, type FakeInbox } from './fake-inbox.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const CHANNEL = { team: 'T1', channel: 'C1' };
const LINK = folderLink({ folderName: 'Plans', linkedBy: 'U0ADA', linkedAt: NOW });

let clock: FakeClock;
let ledger: Ledger;
/** How each request is answered; null: with success. */
let answers: Record<'upload' | 'create' | 'list' | 'download', Error | null>;
let folders: Destination[] | null;
/** The requests and downloads there were, in order. */
let calls: string[];
/** How many files each create was for. */
let batches: number[];
let inbox: FakeInbox;
let background: Promise<unknown>[];

beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
  answers = { upload: null, create: null, list: null, download: null };
  inbox = createFakeInbox();
  [folders, calls, batches, background] = [null, [], [], []];
});
afterEach(() => ledger.close());

const refused = (code: ServiceError['code'] = 'SERVICE_UNAUTHORIZED') =>
  new ServiceError(code, code, { retry: 'never', sent: 'yes' });
const failing = (code: ServiceError['code'] = 'SERVICE_FAILED') =>
  new ServiceError(code, code, { retry: 'later', sent: 'yes' });
const unreadable = new SlackFileError('SLACK_FILE_UNAUTHORIZED', 'token_revoked');

function answer(call: keyof typeof answers): void {
  calls.push(call);
  const error = answers[call];
  if (error) throw error;
}

const service: Partial<ServiceClient> = {
  bulkSlot: async () => freeSlot,
  creators: new Set(),
  listFolders: async () => {
    calls.push('folders');
    const row = { name: 'x', level: 1, parentId: null };
    const records = folders?.map(({ projectId, folderId: id }) => ({ ...row, id, projectId }));
    return records ? { records, complete: true } : null;
  },
  peekFiles: async () => {
    answer('list');
    return { entries: [], whole: true, askedAt: 0, serviceTime: null };
  },
  listFiles: async () => {
    answer('list');
    return listed();
  },
  createFiles: async ({ attachments }) => {
    batches.push(attachments.length);
    answer('create');
    return attachments.map(({ attachmentId: id, byteSize }) => fileRecord({ id, byteSize }));
  },
  uploadFile: async (_projectId, source) => {
    (await source.open(new AbortController().signal)).destroy();
    answer('upload');
    return { attachmentId: calls.length, sentBytes: 10, serviceTime: NOW };
  },
};

async function listed() {
  const list = { files: [], unreadable: 0, complete: true, serviceTime: null };
  return { ...list, fetchedAt: clock.now() };
}

/** Returns the context of one process. */
function start(given: Partial<WholeContext> = {}): WholeContext {
  const download = async () => {
    answer('download');
    return { stream: Readable.from(['hello']), size: 10 };
  };
  const { actor, notify } = inbox;
  return contextOf({
    ...{
      ledger,
      service,
      clock,
      inBackground: (work: Promise<unknown>) => void background.push(work),
    },
    workspace: {
      download,
      fileInfo: async (file) => file,
      actor,
      notify,
      announce: async () => undefined,
    },
    ...given,
  });
}

async function record(ts: string, given: Partial<Share> = {}): Promise<number> {
  return (
    await ledger.recordShare(
      recording(
        { ts, files: [sharedFile({ id: `F${ts}`, name: `${ts}.pdf` })], ...given },
        { now: clock.now() },
      ),
    )
  ).shareId;
}

/** Does everything that is due; returns what was asked for that. */
async function work(context: WholeContext): Promise<string[]> {
  const before = calls.length;
  for (let jobs = 0; jobs < 20; jobs += 1) {
    const job = await claimJob(filing(context, 1), { now: clock.now() });
    if (!job) break;
    await job();
  }
  await Promise.all(background);
  return calls.slice(before);
}

async function workLater(context: WholeContext, ms: number): Promise<string[]> {
  await clock.advance(ms);
  return work(context);
}

const stateOf = async (shareId: number) => (await ledger.transfersOfShare(shareId))[0];

/** Has the service refuse the key at the upload of a file. */
async function refusedKey({
  linked = true,
  ...given
}: { linked?: boolean } & Partial<WholeContext> = {}) {
  const context = start(given);
  if (linked) await ledger.setLink(CHANNEL, LINK);
  await record('1.000001');
  answers = { ...answers, upload: refused(), list: refused() };
  expect(await work(context)).toEqual(['download', 'upload']);
  return context;
}

describe('a key that the service refuses', () => {
  it('stops uploads, creates and downloads at once, while new files wait', async () => {
    const context = await refusedKey();
    const shareId = await record('1.000002');
    expect(await work(context)).toEqual([]);
    expect(await stateOf(shareId)).toMatchObject({ problem: 'SERVICE_UNAUTHORIZED' });
  });

  it('is tried with a list only, after 10 s, then less and less often, up to every 5 minutes', async () => {
    const context = await refusedKey();
    for (const seconds of [10, 10, 20, 40, 80, 160, 300, 300]) {
      expect(await workLater(context, seconds * 1_000 - 1)).toEqual([]);
      expect(await workLater(context, 1)).toEqual(['list']);
    }
  });

  it('has all files filed once it is accepted, after one upload as proof', async () => {
    const context = await refusedKey();
    const others = [await record('1.000002'), await record('1.000003')];
    answers = { ...answers, upload: null, list: null };
    const done = await workLater(context, 10_000);
    expect(done.slice(0, 3)).toEqual(['list', 'download', 'upload']);
    expect(await ledger.listHolds()).toEqual([]);
    for (const id of others) expect(await stateOf(id)).toMatchObject({ state: 'filed' });
  });

  it.each([refused('SERVICE_NOT_FOUND'), failing(), failing('SERVICE_RATE_LIMITED')])(
    'is tried with one upload when the list says nothing of it: %s',
    async (error) => {
      const context = await refusedKey();
      await record('1.000002');
      answers.list = error;
      expect(await workLater(context, 10_000)).toEqual(['list', 'download', 'upload']);
      expect(await ledger.listHolds()).toHaveLength(1);
    },
  );

  it('costs one upload a probe where it may list but not upload, and is told once', async () => {
    const context = await refusedKey();
    for (const ts of ['1.000002', '1.000003']) await record(ts);
    answers.list = null;
    for (const seconds of [10, 10, 20, 40])
      expect(await workLater(context, seconds * 1_000)).toEqual(['list', 'download', 'upload']);
    expect(inbox.notified).toHaveLength(1);
  });

  it('is tried with one of the attachments that wait, before any upload', async () => {
    const context = start();
    for (const ts of ['1.000001', '1.000002', '1.000003']) await record(ts);
    for (const error of [null, null, refused()]) {
      answers.upload = error;
      await (await claimJob(filing(context, 1), { now: clock.now() }))?.();
    }
    expect(batches).toEqual([]);
    answers.upload = null;
    expect((await workLater(context, 10_000)).slice(0, 2)).toEqual(['list', 'create']);
    expect(batches).toEqual([1, 2]);
  });

  it('is tried first by a process that starts', async () => {
    await refusedKey();
    await ledger.probeHolds({ at: clock.now() });
    expect(await work(start())).toEqual(['list']);
  });
});

describe('the notice of a refused key', () => {
  const who = () => inbox.notified.map((text) => text.slice(0, 5));
  const twoLinkers = async () => {
    await ledger.setLink({ ...CHANNEL, channel: 'C2' }, { ...LINK, linkedBy: 'U0BEN' });
    const context = await refusedKey();
    await record('1.000002', { channel: 'C2' });
    return context;
  };

  it('goes once to the member who linked the channel, and again in the next outage', async () => {
    const context = await refusedKey();
    for (const ms of [10_000, 10_000]) await workLater(context, ms);
    expect(inbox.notified).toEqual([
      expect.stringMatching(/^U0ADA: .*can’t sign in.*automatically/s),
    ]);
    answers = { ...answers, upload: null, list: null };
    await workLater(context, 20_000);
    await record('1.000009');
    answers = { ...answers, upload: refused(), list: refused() };
    await work(context);
    await workLater(context, 10_000);
    expect(who()).toEqual(['U0ADA', 'U0ADA']);
  });

  it('is not sent when the key is accepted at the first probe', async () => {
    const context = await refusedKey();
    answers = { ...answers, upload: null, list: null };
    await workLater(context, 10_000);
    expect(inbox.notified).toEqual([]);
  });

  it('goes to the next who linked a channel when the first cannot be told', async () => {
    const { notify } = inbox;
    const no = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'user_not_found' });
    inbox.notify = async (user, view) =>
      user === 'U0ADA' ? Promise.reject(no) : notify(user, view);
    await workLater(await twoLinkers(), 10_000);
    expect(who()).toEqual(['U0BEN']);
  });

  it('is tried again when nobody could be told', async () => {
    inbox.deactivated = ['U0ADA', 'U0BEN'];
    const context = await twoLinkers();
    await workLater(context, 10_000);
    inbox.deactivated = [];
    inbox.slackIsDown = true;
    await workLater(context, 10_000);
    expect(inbox.notified).toEqual([]);
    inbox.slackIsDown = false;
    await workLater(context, 20_000);
    expect(who()).toEqual(['U0ADA']);
  });

  it('goes to the operator instead, if a member, and else names them', async () => {
    const context = await refusedKey({ operator: 'UOPERATOR1', linked: false });
    await workLater(context, 10_000);
    expect(inbox.notified).toEqual([expect.stringMatching(/^UOPERATOR1: .*put in a valid key/s)]);
    await ledger.dropNotice('key', 'operator');
    await ledger.setLink(CHANNEL, LINK);
    const elsewhere = { ...context, operator: 'Ada Lovelace' };
    await workLater({ ...elsewhere, notices: noticesOf(elsewhere) }, 10_000);
    expect(inbox.notified[1]).toMatch(/Please ask Ada Lovelace to fix it/);
  });
});

describe('a token that reads no files', () => {
  it('has files wait, tells the operator of that and of its end, and has all filed then', async () => {
    const context = start({ operator: 'UOPERATOR1' });
    const shares = [await record('1.000001'), await record('1.000002')];
    answers.download = unreadable;
    expect(await work(context)).toEqual(['download']);
    expect(await workLater(context, 10_000)).toEqual(['download']);
    for (const id of shares)
      expect(await stateOf(id)).toMatchObject({ problem: 'SLACK_FILE_UNAUTHORIZED' });
    answers.download = null;
    await workLater(context, 10_000);
    for (const id of shares) expect(await stateOf(id)).toMatchObject({ state: 'filed' });
    expect(inbox.notified).toEqual([
      expect.stringMatching(/^UOPERATOR1: .*they wait.*reinstall/s),
      expect.stringMatching(/^UOPERATOR1: .*it lacked/),
    ]);
  });

  it('has the probe’s file sent while Slack is slow to take the notice', async () => {
    const stands = new Promise<never>(() => undefined);
    const context = start({ operator: 'UOPERATOR1' });
    context.notices = { ...context.notices, ofToken: () => stands };
    const inBackground = (work: Promise<unknown>) => {
      if (work !== stands) background.push(work);
    };
    const id = await record('1.000001');
    answers.download = unreadable;
    await work(context);
    await workLater(context, 10_000);
    answers.download = null;
    await workLater({ ...context, inBackground }, 10_000);
    expect(await stateOf(id)).toMatchObject({ state: 'filed' });
  });
});

describe('what Slack says of a young file', () => {
  const young = () => (clock.now() / 1_000).toFixed(6);

  it('holds no other, until it was shared two minutes ago', async () => {
    const context = start({ operator: 'UOPERATOR1' });
    const shareId = await record(young());
    answers.download = unreadable;
    for (const seconds of [0, 10, 20, 30, 50]) {
      await workLater(context, seconds * 1_000);
      expect(await ledger.listHolds()).toEqual([]);
    }
    expect(await stateOf(shareId)).toMatchObject({ problem: 'SLACK_FILE_UNAVAILABLE' });
    await workLater(context, 2 * MINUTE);
    expect(await ledger.listHolds()).toMatchObject([{ scope: 'slack-files' }]);
  });
});

describe('downloads that Slack denies', () => {
  const denied = new SlackFileError('SLACK_FILE_DENIED', 'answered 403', { retry: 'later' });

  it('of one file hold no other', async () => {
    const context = start();
    const shareId = await record('1.000001');
    answers.download = denied;
    for (let tries = 0; tries < 3; tries += 1) await workLater(context, MINUTE);
    expect(await ledger.listHolds()).toEqual([]);
    answers.download = null;
    const other = await record('1.000002');
    await work(context);
    expect(await stateOf(other)).toMatchObject({ state: 'filed' });
    expect(await stateOf(shareId)).toMatchObject({ state: 'recorded' });
  });
});

describe('a folder', () => {
  const GONE = { upload: refused('SERVICE_NOT_FOUND') };
  const linkedTo = async (...ts: string[]) => {
    await ledger.setLink(CHANNEL, LINK);
    return Promise.all(ts.map((one) => record(one)));
  };

  it('that is gone is looked for in the account’s list, and its files are filed once it is back', async () => {
    const shares = await linkedTo('1.000001', '1.000002');
    const context = start();
    answers = { ...answers, ...GONE };
    folders = [{ projectId: 1, folderId: 99 }];
    expect(await work(context)).toEqual(['download', 'upload']);
    expect(await workLater(context, MINUTE)).toEqual(['folders']);
    folders = [DESTINATION];
    answers.upload = null;
    await workLater(context, MINUTE);
    for (const id of shares) expect(await stateOf(id)).toMatchObject({ state: 'filed' });
    expect(await ledger.listHolds()).toEqual([]);
  });

  it('that is gone lets a file go on after its channel, though another channel is linked to it', async () => {
    const [id = 0] = await linkedTo('1.000001');
    await ledger.setLink({ ...CHANNEL, channel: 'C2' }, LINK);
    const context = start();
    answers.create = new ServiceError('SERVICE_UNREACHABLE', 'no answer', {
      ...{ retry: 'later', sent: 'unknown' },
    });
    answers.list = failing();
    await work(context);
    expect(await stateOf(id)).toMatchObject({ state: 'creating', destination: DESTINATION });
    answers = { ...answers, ...GONE, create: null };
    folders = [{ projectId: 1, folderId: 99 }];
    await record('1.000002');
    await work(context);
    expect(await ledger.listHolds()).toMatchObject([{ reason: 'DESTINATION_GONE' }]);
    await ledger.setLink(CHANNEL, { ...LINK, folderId: 99 });
    answers.upload = null;
    await workLater(context, MINUTE);
    await workLater(context, MINUTE);
    const destination = { projectId: 1, folderId: 99 };
    expect(await stateOf(id)).toMatchObject({ state: 'filed', destination });
  });

  it('that refuses creates costs one of them a probe, each time of another file', async () => {
    const context = start();
    const shares = await linkedTo('1.000001', '1.000002');
    answers.create = refused('SERVICE_FORBIDDEN');
    await work(context);
    await workLater(context, 30_000);
    expect(await ledger.listHolds()).toMatchObject([{ reason: 'SERVICE_FORBIDDEN' }]);
    for (let probes = 0; probes < 3; probes += 1) {
      const asked = await workLater(context, 60 * MINUTE);
      expect(asked.filter((call) => call === 'create')).toHaveLength(1);
    }
    answers.create = null;
    await workLater(context, 60 * MINUTE);
    for (const id of shares) expect(await stateOf(id)).toMatchObject({ state: 'filed' });
  });

  it('that no channel files into any more is not waited for', async () => {
    const context = start();
    const [id = 0] = await linkedTo('1.000001');
    answers = { ...answers, ...GONE };
    await work(context);
    await ledger.removeLink(CHANNEL);
    await workLater(context, MINUTE);
    expect(await stateOf(id)).toMatchObject({ state: 'refused', problem: 'DESTINATION_GONE' });
    expect(await ledger.listHolds()).toEqual([]);
  });

  it('that is the default one is waited for, and the operator is told once', async () => {
    const names = { projectTitle: null, folderName: null, isDefault: true };
    const context = start({
      ...{ operator: 'UOPERATOR1', defaultFolder: DESTINATION },
      findDestination: async () => ({ ...DESTINATION, ...names }),
    });
    const id = await record('1.000001');
    answers = { ...answers, ...GONE };
    await work(context);
    expect(await stateOf(id)).toMatchObject({ state: 'recorded', problem: 'DESTINATION_GONE' });
    for (let lines = 0; lines < 2; lines += 1) await notifyOfFolder(CHANNEL, DESTINATION, context);
    expect(inbox.notified).toEqual([expect.stringMatching(/^UOPERATOR1: .*its default folder/s)]);
    answers.upload = null;
    await workLater(context, MINUTE);
    expect(await stateOf(id)).toMatchObject({ state: 'filed' });
  });
});
