import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PigeonholeError } from '../../src/base/index.ts';
import type { SharedFile } from '../../src/core/index.ts';
import { type EngineContext, filing } from '../../src/engine/index.ts';
import type { Handler } from '../../src/engine/job.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { type ServiceClient, ServiceError } from '../../src/service/index.ts';
import { SlackFileError, type Workspace } from '../../src/slack/index.ts';
import { fileRecord, folderLink, freeSlot, recording, sharedFile } from '../support/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { claimJob } from './claim-job.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_700_000_000_000;
const LATER = { retry: 'later', sent: 'no' } as const;
const MIB = 1024 * 1024;
let clock = createFakeClock(NOW);
let ledger: Ledger;

beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
});
afterEach(() => ledger.close());

function recordFile(file: SharedFile): Promise<number> {
  return recordFiles([file]);
}

let nth = 0;
async function recordFiles(files: SharedFile[]): Promise<number> {
  nth += 1;
  const ts = `1700000000.00${100 + nth}`;
  return (await ledger.recordShare(recording({ ts, files }, { now: NOW }))).shareId;
}

function contextWith(service: Partial<ServiceClient>): EngineContext {
  return contextOf({
    ...{ ledger, clock },
    service: { bulkSlot: async () => freeSlot, ...service },
    workspace: { download: async () => ({ stream: Readable.from([]), size: 0 }) },
  });
}

/** Begins an upload or a create; returns a function that awaits its end; null when none is due. */
async function begin(handler: Handler): Promise<(() => Promise<void>) | null> {
  const job = await claimJob(handler, { now: clock.now(), leaseMs: NOW });
  if (!job) return null;
  const done = job();
  return () => done;
}

/** Runs the next upload; returns false when none is due. */
async function run(context: EngineContext, kind = filing(context, 1)): Promise<boolean> {
  const ended = await begin(kind);
  await ended?.();
  return ended !== null;
}

describe('the file data in the event', () => {
  it('may be only an id, and the name is recorded once Slack returns it', async () => {
    const stub = { name: null, title: null, fileAccess: 'check_file_info', url: null } as const;
    const shareId = await recordFile(sharedFile({ id: 'F7', ...stub }));
    const context = contextWith({
      uploadFile: () => Promise.reject(new ServiceError('SERVICE_FAILED', '503', LATER)),
    });
    context.workspace.fileInfo = async () => sharedFile({ id: 'F7', name: 'tides.pdf' });
    const nameOf = async () => (await ledger.transfersOfShare(shareId))[0]?.name;
    expect(await nameOf()).toBe('unnamed-F7.pdf');
    await run(context);
    expect(await nameOf()).toBe('tides.pdf');
  });

  const denied = sharedFile({ fileAccess: 'access_denied', mode: 'file_access', url: null });

  /** Returns what is noted of a file after a try for which Slack then answers so. */
  async function notedAfter(file: SharedFile, answer: SharedFile | SlackFileError) {
    const shareId = await recordFile(file);
    const context = contextWith({
      uploadFile: () => Promise.reject(new ServiceError('SERVICE_FAILED', '503', LATER)),
    });
    const asked: string[] = [];
    context.workspace.fileInfo = async ({ id }) => {
      asked.push(id);
      if (answer instanceof SlackFileError) throw answer;
      return answer;
    };
    await run(context);
    const [transfer] = await ledger.transfersOfShare(shareId);
    return { ...transfer, asked };
  }

  it('is not believed when it keeps the file back: Slack is asked again at once', async () => {
    const noted = await notedAfter(denied, sharedFile());
    expect(noted).toMatchObject({ problem: 'SERVICE_FAILED', asked: ['F1'] });
  });

  it('says more than a Slack that does not know the file', async () => {
    const unknown = new SlackFileError('SLACK_FILE_NOT_FOUND', 'file_not_found');
    for (const [file, what] of [
      [denied, 'may not be read'],
      [sharedFile({ mode: 'tombstone' }), 'was deleted'],
    ] as const)
      expect(await notedAfter(file, unknown)).toMatchObject({
        state: 'recorded',
        problem: 'SLACK_FILE_UNAVAILABLE',
        problemNote: `F1 ${what}`,
      });
  });

  it('is believed when it is a link, of which Slack has nothing', async () => {
    const noted = await notedAfter(sharedFile({ mode: 'external' }), sharedFile());
    expect(noted).toMatchObject({ state: 'refused', problem: 'SLACK_FILE_EXTERNAL', asked: [] });
  });
});

describe('an upload that something in between refuses', () => {
  const blocked = new ServiceError('SERVICE_BLOCKED', 'a web page', {
    retry: 'never',
    sent: 'yes',
  });
  interface Between {
    peekFiles: ServiceClient['peekFiles'];
    /** When another upload got through, counted from the first block; null: none did. */
    passedAfterMs?: number | null;
    /** The wait before the second try. */
    waitMs?: number;
    folders?: Awaited<ReturnType<ServiceClient['listFolders']>>;
  }

  const listed = async () => ({ entries: [], whole: true, askedAt: 0, serviceTime: null });
  const refuses = () =>
    Promise.reject(new ServiceError('SERVICE_FORBIDDEN', '403', { retry: 'never', sent: 'yes' }));

  /** Uploads a file, twice if it waits; returns its transfer. */
  async function blockedWith(between: Between) {
    const { peekFiles, passedAfterMs = null, waitMs = 60_000, folders = null } = between;
    const shareId = await recordFile(sharedFile());
    const context = contextWith({
      uploadFile: () => Promise.reject(blocked),
      listFolders: async () => folders,
      peekFiles,
    });
    context.workspace.fileInfo = async () => sharedFile();
    const begunAt = clock.now();
    await run(context);
    if (passedAfterMs !== null) context.lastUpload.at = begunAt + passedAfterMs;
    const [first] = await ledger.transfersOfShare(shareId);
    await clock.advance(waitMs);
    const wasTriedAgain = await run(context);
    const [transfer] = await ledger.transfersOfShare(shareId);
    return { first, transfer, wasTriedAgain };
  }

  it('is a refusal of that file once another upload has got through', async () => {
    for (const peekFiles of [listed, refuses]) {
      const { first, transfer } = await blockedWith({ peekFiles, passedAfterMs: 1_000 });
      expect(first).toMatchObject({ state: 'recorded', problem: 'SERVICE_BLOCKED' });
      expect(transfer).toMatchObject({ state: 'refused', problem: 'SERVICE_BLOCKED' });
    }
  });

  it.each([
    ['none has', null],
    ['one had got through before', -1_000],
    ['one does so during the next try', 60_001],
  ])('waits while no other upload gets through: %s', async (_case, passedAfterMs) => {
    const { transfer, wasTriedAgain } = await blockedWith({ peekFiles: listed, passedAfterMs });
    expect(transfer).toMatchObject({ state: 'recorded', problem: 'SERVICE_BLOCKED' });
    expect(wasTriedAgain).toBe(true);
  });

  it('is a refusal of a file that was blocked for days, though no other got through', async () => {
    const { transfer } = await blockedWith({ peekFiles: listed, waitMs: 97 * 60 * 60_000 });
    expect(transfer).toMatchObject({ state: 'refused', problem: 'SERVICE_BLOCKED' });
  });

  it('is a refusal at once when the folder is gone', async () => {
    const { first } = await blockedWith({
      peekFiles: refuses,
      folders: { records: [], complete: true },
    });
    expect(first).toMatchObject({ state: 'refused', problem: 'DESTINATION_GONE' });
  });

  it('waits when everything else is refused or lost, too', async () => {
    for (const code of ['SERVICE_BAD_ANSWER', 'SERVICE_UNREACHABLE'] as const) {
      const error = new ServiceError(code, 'a web page', { ...LATER, sent: 'unknown' });
      const { transfer } = await blockedWith({ peekFiles: () => Promise.reject(error) });
      expect(transfer).toMatchObject({ state: 'recorded', problem: code });
      expect(await ledger.listHolds()).toEqual([]);
    }
  });

  it('waits for the key when the service does not accept it', async () => {
    const error = new ServiceError('SERVICE_UNAUTHORIZED', '401', { retry: 'never', sent: 'yes' });
    const { transfer } = await blockedWith({ peekFiles: () => Promise.reject(error) });
    expect(transfer).toMatchObject({ state: 'recorded', problem: 'SERVICE_UNAUTHORIZED' });
    expect(await ledger.listHolds()).toMatchObject([{ scope: 'key' }]);
  });
});

describe('large files', () => {
  const large = (id: string) => sharedFile({ id, name: `${id}.zip`, size: 100 * MIB });

  /** A context whose uploads go on until the test ends them. */
  function slowly() {
    const uploads: { name: string; end: () => void }[] = [];
    const context = contextWith({
      uploadFile: (_project, { name }) =>
        new Promise((_resolve, reject) => {
          uploads.push({ name, end: () => reject(new Error('enough')) });
        }),
    });
    return { uploads, context };
  }

  it('are uploaded three at a time beside small ones, and the next starts when one ends', async () => {
    await recordFiles(['F1', 'F2', 'F3', 'F4'].map(large));
    const { uploads, context } = slowly();
    const kind = filing(context, 9);
    const running = [1, 2, 3].map(() => run(context, kind));
    await expect.poll(() => uploads.length, { interval: 1 }).toBe(3);
    expect(await kind.next()).toBeNull();
    expect(await run(context, kind)).toBe(false);
    await recordFiles([sharedFile({ id: 'F5', name: 'small.pdf' })]);
    expect(await kind.next()).toBe(clock.now());
    running.push(run(context, kind));
    await expect.poll(() => uploads.at(-1)?.name, { interval: 1 }).toBe('small.pdf');
    uploads[0]?.end();
    await running[0];
    running.push(run(context, kind));
    await expect.poll(() => uploads.at(-1)?.name, { interval: 1 }).toBe('F4.zip');
    for (const { end } of uploads) end();
    await Promise.all(running);
  });

  it('stay three at a time while an uploaded one is created in its folder', async () => {
    const { uploads, context } = slowly();
    const kind = filing(context, 9);
    const { uploadFile } = context.service;
    context.service.uploadFile = async () => ({ attachmentId: 1, sentBytes: 1, serviceTime: null });
    await recordFiles([large('F1')]);
    await run(context, kind);
    context.service.uploadFile = uploadFile;
    const created = Promise.withResolvers<never>();
    let creates = 0;
    context.service.createFiles = () => {
      creates += 1;
      return created.promise;
    };
    await recordFiles(['F2', 'F3', 'F4', 'F5'].map(large));
    const begun: Awaited<ReturnType<typeof begin>>[] = [];
    for (let count = 0; count < 5; count += 1) begun.push(await begin(kind));
    expect(begun.map((ended) => ended !== null)).toEqual([true, true, true, true, false]);
    await expect.poll(() => [uploads.length, creates], { interval: 1 }).toEqual([3, 1]);
    created.reject(new Error('enough'));
    for (const { end } of uploads) end();
    await Promise.all(begun.map((ended) => ended?.()));
  });

  it('wait for their turn once Slack returns the size that the event lacked', async () => {
    const shareId = await recordFile(sharedFile({ size: null }));
    const { uploads, context } = slowly();
    context.workspace.download = async () => ({ stream: Readable.from([]), size: 100 * MIB });
    await run(context);
    expect(uploads).toEqual([]);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      {
        state: 'recorded',
        slackSize: 100 * MIB,
        isClaimed: false,
        nextTryAt: clock.now(),
      },
    ]);
    const running = run(context);
    await expect.poll(() => uploads.length, { interval: 1 }).toBe(1);
    uploads[0]?.end();
    await running;
  });
});

describe.each(['SERVICE_REFUSED', 'SERVICE_BAD_REQUEST'] as const)(
  'an upload that is refused without a known reason: %s',
  (code) => {
    const lists = (...ids: number[]): Partial<ServiceClient> => ({
      uploadFile: () =>
        Promise.reject(new ServiceError(code, code, { retry: 'never', sent: 'yes' })),
      listFolders: async () => ({
        records: ids.map((id) => ({ id, name: 'x', level: 1, parentId: null, projectId: 1 })),
        complete: true,
      }),
    });

    it.each([
      ['lists the folder', lists(2), { state: 'refused', problem: code }, null],
      [
        'lists the folder no more',
        lists(),
        { state: 'recorded', problem: 'DESTINATION_GONE' },
        'DESTINATION_GONE',
      ],
    ])(
      'is judged by the list of folders of an account that %s',
      async (_, service, transfer, heldFor) => {
        const channel = { team: 'T1', channel: 'C1' };
        await ledger.setLink(channel, folderLink());
        const shareId = await recordFile(sharedFile());
        await run(contextWith(service));
        expect((await ledger.transfersOfShare(shareId))[0]).toMatchObject(transfer);
        expect(await ledger.findLink(channel)).toMatchObject({ heldFor });
      },
    );
  },
);

describe('the progress of an upload', () => {
  it('is shown from the start of an attempt to its end, and not between attempts', async () => {
    await recordFile(sharedFile({ size: 6 * MIB }));
    const shown: (number | undefined)[] = [];
    const context = contextWith({
      uploadFile: async (_project, { open, onProgress, onEnd }, { signal }) => {
        const look = () => shown.push(context.uploads.get(1)?.sentBytes);
        look();
        await open(signal ?? new AbortController().signal);
        look();
        onProgress?.(3 * MIB);
        look();
        onEnd?.();
        look();
        throw new Error('given up');
      },
    });
    expect(await run(context)).toBe(true);
    expect(shown).toEqual([undefined, 0, 3 * MIB, undefined]);
  });

  it('does not start when the download opens after the attempt was aborted', async () => {
    await recordFile(sharedFile({ size: 6 * MIB }));
    const context = contextWith({
      uploadFile: async (_project, { open }) => {
        await open(AbortSignal.abort());
        throw new Error('given up');
      },
    });
    await run(context);
    expect(context.uploads.has(1)).toBe(false);
  });
});

describe('a Slack file', () => {
  it('is opened as the event described it first, and as Slack returns it in later tries', async () => {
    await recordFile(sharedFile({ size: 10 }));
    const opened: (string | null)[] = [];
    const context = contextWith({
      uploadFile: async (_project, { open }, { signal }) => {
        await open(signal ?? new AbortController().signal);
        throw new Error('given up');
      },
    });
    Object.assign<Workspace, Partial<Workspace>>(context.workspace, {
      fileInfo: async (file) => ({ ...file, url: 'https://files.slack.com/moved' }),
      download: async ({ url }) => {
        opened.push(url);
        return { stream: Readable.from([]), size: 10 };
      },
    });
    await run(context);
    await clock.advance(60_000);
    await run(context);
    expect(opened).toEqual([sharedFile().url, 'https://files.slack.com/moved']);
  });

  it.each([
    ['is opened as the event described it', 'SERVICE_FAILED', [sharedFile().url]],
    ['waits if its data may be the reason', 'SLACK_FILE_UNAVAILABLE', []],
  ] as const)(
    '%s while Slack asks to wait with the question for its data',
    async (_, code, urls) => {
      await recordFile(sharedFile());
      const opened: (string | null)[] = [];
      const fail = new PigeonholeError(code, 'the first try', { retry: 'later' });
      const context = contextWith({ uploadFile: () => Promise.reject(fail) });
      const limited = new SlackFileError('SLACK_FILE_UNAVAILABLE', 'ratelimited', {
        retryAfterMs: 30_000,
      });
      context.workspace.fileInfo = () => Promise.reject(limited);
      context.workspace.download = async ({ url }) => {
        opened.push(url);
        return { stream: Readable.from([]), size: 10 };
      };
      await run(context);
      await clock.advance(60_000);
      context.service.uploadFile = async (_project, { open }) => {
        await open(new AbortController().signal);
        throw new Error('given up');
      };
      await run(context);
      expect(opened).toEqual(urls);
    },
  );
});

describe('once the service works again', () => {
  const DOWN = new ServiceError('SERVICE_UNREACHABLE', 'down', LATER);
  let isDown: boolean;
  let sent: string[];
  let context: EngineContext;
  beforeEach(() => {
    isDown = true;
    sent = [];
    context = contextWith({
      uploadFile: async (_project, { name }) => {
        if (isDown) throw DOWN;
        sent.push(name);
        return { attachmentId: sent.length, sentBytes: 10, serviceTime: null };
      },
      createFiles: async ({ attachments }) => {
        if (isDown) throw DOWN;
        return attachments.map(({ attachmentId: id }) => fileRecord({ id, byteSize: 10 }));
      },
    });
    context.workspace.fileInfo = async (file) => file;
  });

  /** Runs the file that is due first, once it is due. */
  async function runNext(): Promise<void> {
    const { dueAt = 0 } = (await ledger.nextFiling({ largest: null })) ?? {};
    await clock.advance(Math.max(0, dueAt - clock.now()));
    await run(context);
  }

  /** Records a file, and has it fail so often that it is not tried again for minutes. */
  async function failForLong(name: string): Promise<void> {
    await recordFile(sharedFile({ id: name, name }));
    for (let n = 0; n < 8; n += 1) await runNext();
  }

  it('the first file that is uploaded makes due all others that waited for it', async () => {
    await failForLong('one');
    await recordFile(sharedFile({ id: 'F2', name: 'two' }));
    for (let n = 0; n < 3; n += 1) await runNext();
    isDown = false;
    await runNext();
    await run(context);
    expect(sent).toEqual(['two', 'one']);
  });

  it('the first file that is filed does so, too', async () => {
    await failForLong('one');
    await recordFile(sharedFile({ id: 'F2', name: 'two' }));
    isDown = false;
    await runNext();
    isDown = true;
    for (let n = 0; n < 3; n += 1) await runNext();
    isDown = false;
    await runNext();
    await run(context);
    expect(sent).toEqual(['two', 'one']);
  });
});
