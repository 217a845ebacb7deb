import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/base/index.ts';
import type { Destination } from '../../src/core/index.ts';
import { filing, JobLoop } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { type ServiceClient, ServiceError } from '../../src/service/index.ts';
import { SlackCallError, SlackFileError, type Workspace } from '../../src/slack/index.ts';
import { DESTINATION, fileRecord, freeSlot, recording, sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { contextOf, keepingAll } from './context-of.ts';

const HOUR_MS = 60 * 60_000;
const CHANNEL = { team: 'T1', channel: 'C1' };
const FILE = { name: 'a.pdf', size: 10 };

let clock: FakeClock;
let ledger: Ledger;
let loops: JobLoop[];
/** What lines were posted, and what they came to say, in order. */
let posted: string[];
let edited: string[];
/** The reactions that messages got. */
let marked: string[];
/** Errors of the next posts and of the next creates; then all succeed. */
let lostPosts: Error[];
let lostCreates: Error[];
/** Resolves before a reaction is there, and rejects a download, if set. */
let reacting: Promise<void>;
let noDownload: Error | null;

beforeEach(async () => {
  clock = createFakeClock();
  ledger = await openEmptyLedger(clock.now());
  [loops, posted, edited, marked, lostPosts, lostCreates] = [[], [], [], [], [], []];
  [reacting, noDownload] = [Promise.resolve(), null];
});
afterEach(async () => {
  await Promise.all(loops.map((loop) => loop.stop(0)));
  await ledger.close();
});

/** Starts a process, whose uploads go through this. */
function start(uploading: (source: Source, signal?: AbortSignal) => Promise<void> = opened): void {
  const workspace: Partial<Workspace> = {
    fileInfo: async (file) => file,
    download: async ({ size }) => {
      if (noDownload) throw noDownload;
      return { stream: Readable.from([]), size: size ?? 0 };
    },
    post: async (_place, { body }) => {
      const error = lostPosts.shift();
      if (error) throw error;
      return String(posted.push(body.text));
    },
    update: async (_message, { text }) => void edited.push(text),
    find: async () => null,
    react: async (_message, { name }) => {
      await reacting;
      marked.push(name);
    },
    unreact: async () => undefined,
    addressOf: () => null,
  };
  let made = 0;
  const service: Partial<ServiceClient> = {
    bulkSlot: async () => freeSlot,
    creators: new Set(),
    uploadFile: async (_project, source, { signal }) => {
      await uploading(source, signal);
      made += 1;
      return { attachmentId: made, sentBytes: source.size, serviceTime: clock.now() };
    },
    createFiles: async ({ attachments }) => {
      const error = lostCreates.shift();
      if (error) throw error;
      return attachments.map(({ attachmentId: id, ...sent }) => fileRecord({ id, ...sent }));
    },
    listFiles: async () => {
      const now = clock.now();
      return { files: [], unreadable: 0, serviceTime: now, fetchedAt: now, complete: true };
    },
    listFolders: async () => null,
  };
  const names = {
    nameFolder: async (folder: Destination) => ({
      projectTitle: null,
      folderName: null,
      ...folder,
    }),
  };
  const given = { ledger, service, workspace, names, clock, random: systemRandom };
  const context = contextOf({ ...given, settleMs: 70_000, backoffScale: 0.1 });
  const tools = { ...context, pollMs: 5_000 };
  const notifier = new JobLoop({ ...tools, leaseMs: 60_000 }, [keepingAll(context)]);
  const worker = new JobLoop({ ...tools, leaseMs: 30_000, onDone: notifier.wake }, [
    filing(context, 6),
  ]);
  for (const loop of [worker, notifier]) loop.start();
  loops.push(worker, notifier);
}

type Source = Parameters<ServiceClient['uploadFile']>[1];
const opened = async ({ open }: Source) => {
  await open(new AbortController().signal);
};

async function share(...files: { name: string; size: number }[]): Promise<void> {
  shares += 1;
  const named = files.map((file, nth) => sharedFile({ ...file, id: `F${shares}-${nth}` }));
  const shared = { ts: `17000000${shares}.000100`, files: named };
  await ledger.recordShare(recording(shared, { now: clock.now() }));
  for (const loop of loops) loop.wake();
}
let shares = 10;

/** Lets time pass until all is filed and reported. */
async function settled(): Promise<void> {
  const isOpen = async () =>
    (await ledger.countActive()) > 0 || (await ledger.nextDue('message')) !== null;
  for (const end = clock.now() + HOUR_MS; clock.now() < end && (await isOpen()); )
    await clock.advance(5_000);
  expect(await isOpen()).toBe(false);
}

const limited = () => new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 1_000 });
const unavailable = new SlackFileError('SLACK_FILE_UNAVAILABLE', 'no connection');

describe('the line of a share', () => {
  it('is posted once, at the end, when filing is quick', async () => {
    start();
    await share(FILE);
    await settled();
    expect(posted).toEqual([expect.stringMatching(/^Filed in /)]);
    expect(edited).toEqual([]);
  });

  it('is posted early when filing takes long, and edited at the end', async () => {
    start(async () => clock.sleep(20_000));
    await share(FILE);
    await clock.advance(3_000);
    expect(posted).toEqual([]);
    await clock.advance(2_000);
    expect(posted).toEqual(['Sending a.pdf (10 B)']);
    await settled();
    expect(posted).toHaveLength(1);
    expect(edited.at(-1)).toMatch(/^Filed in /);
  });

  it('reports a problem at once', async () => {
    const details = { retry: 'later', sent: 'yes' } as const;
    lostCreates.push(new ServiceError('SERVICE_FAILED', 'no', details));
    start();
    await share(FILE);
    await clock.advance(1);
    expect(posted).toHaveLength(1);
  });

  it('says that a large file is being sent, whichever instance writes it', async () => {
    for (let instances = 0; instances < 2; instances += 1) {
      start(async (source, signal) => {
        for (let seconds = 1; seconds <= 60; seconds += 1) {
          await clock.sleep(1_000, signal);
          source.onProgress?.(seconds * 1_000_000);
        }
      });
      await clock.advance(1_300);
    }
    await share({ name: 'film.mp4', size: 60_000_000 });
    await settled();
    const said = [...posted, ...edited];
    expect(said.length).toBeGreaterThan(1);
    for (const line of said.slice(0, -1)) expect(line).toMatch(/^Sending film\.mp4/);
  });

  it('waits with all others as long as Slack asks after a 429', async () => {
    lostPosts.push(limited(), limited());
    start();
    await share(FILE);
    await share({ name: 'b.pdf', size: 11 });
    await clock.advance(500);
    await share({ name: 'c.pdf', size: 12 });
    await clock.advance(400);
    expect(posted).toEqual([]);
    await clock.advance(1_000);
    expect(posted).toHaveLength(3);
  });
});

describe('the line of a share that is skipped', () => {
  beforeEach(() => {
    noDownload = unavailable;
    start();
  });
  const skip = () => ledger.leaveTroubled(CHANNEL, { parkedToo: true, now: clock.now() });

  it('is posted where it was not yet, as the message already has a reaction', async () => {
    lostPosts.push(limited());
    await share(FILE);
    await clock.advance(1);
    expect(await skip()).toBe(1);
    await clock.advance(2_000);
    expect(posted).toHaveLength(1);
  });

  it('is posted before its reaction is there, as its sharer is not the one who skipped it', async () => {
    const first = Promise.withResolvers<void>();
    reacting = first.promise;
    await share(FILE);
    await share({ name: 'b.pdf', size: 20 });
    await clock.advance(1);
    expect(await skip()).toBe(2);
    first.resolve();
    await clock.advance(10_000);
    expect(posted).toHaveLength(2);
  });

  it('is edited with the outcome when it is filed later among many', async () => {
    const many = Array.from({ length: 21 }, (_, nth) => ({ name: `${nth}.pdf`, size: 10 + nth }));
    await share(...many);
    await clock.advance(60_000);
    await skip();
    await clock.advance(60_000);
    noDownload = new SlackFileError('SLACK_FILE_NOT_FOUND', 'no such file');
    const sent = { destination: DESTINATION, startedBy: 'U1', now: clock.now() };
    expect(await ledger.fileParked(CHANNEL, sent)).toBe(21);
    await settled();
    expect(edited).toContainEqual(expect.stringMatching(/^21 of 21 couldn’t be filed:/));
  });
});

it.each(['event', 'catch-up'] as const)(
  'a message that arrives (%s) after its files were saved by hand gets a reaction and a line',
  async (origin) => {
    start();
    const saved = recording({}, { origin: 'saved', savedBy: 'U2', now: clock.now() });
    await ledger.recordShare(saved);
    await settled();
    const report = { ...CHANNEL, kind: 'catch-up', startedBy: null, now: clock.now() } as const;
    const reportId = origin === 'event' ? null : await ledger.createReport(report);
    const before = posted.length;
    const given = { origin, reportId, now: clock.now() };
    const own = await ledger.recordShare(recording({}, given));
    for (const loop of loops) loop.wake();
    await settled();
    expect(await ledger.transfersOfShare(own.shareId)).toEqual([]);
    expect(posted.slice(before)).toContain('Already in the folder. Nothing is filed twice.');
    expect(marked).toEqual(['white_check_mark']);
  },
);
