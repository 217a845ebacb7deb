import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Random, systemRandom } from '../../src/base/index.ts';
import type { ChannelRef, Share } from '../../src/core/index.ts';
import { createEarlierCount, JobLoop, reading } from '../../src/engine/index.ts';
import { type Ledger, LedgerError, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { type HistoryPage, SlackCallError, type Workspace } from '../../src/slack/index.ts';
import { aroundLedger, type LedgerCall } from '../support/around-ledger.ts';
import { DESTINATION, recording, share, sharedFile } from '../support/builders.ts';
import { claimNext, holdRow } from '../support/claim-next.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_800_000_000_000;
const SOON = { interval: 1, timeout: 20_000 };
const CHANNEL = { team: 'T1', channel: 'C1' };
const ADA = { startedBy: 'U1' };
/** Makes every wait as short as possible. */
const random: Random = { ...systemRandom, fraction: () => 0 };

let clock: FakeClock;
let dataDir: string;
let ledger: Ledger;
let running: { stop(): Promise<void> } | null = null;

beforeEach(async () => {
  clock = createFakeClock(NOW);
  dataDir = temporaryFolder();
  ledger = await openEmptyLedger(NOW, dataDir);
});
afterEach(async () => {
  await running?.stop();
  await ledger.close();
});

const at = (second: number) =>
  share({ ts: `1700000${second}.000000`, files: [sharedFile({ id: `F${second}` })] });
const page = (...seconds: number[]): HistoryPage => ({
  shares: seconds.map(at),
  skippedThreads: [],
  moves: [],
  readTo: `1700000${Math.min(...seconds)}.000000`,
});
/** A channel of six files, newest first. */
const PAGES = [page(106, 105), page(104, 103), page(102, 101)];

/** The users notified of shares that could not be recorded. */
let told: string[] = [];

type Turn = (page: HistoryPage) => void | Promise<void>;

/** Returns the shares in a thread. */
let replies: (ts: string) => Share[];
let threadsRead: string[];
beforeEach(() => {
  replies = () => [];
  threadsRead = [];
});

const FOLDER = { ...DESTINATION, projectTitle: null, folderName: null, isDefault: false };
let isLinked: boolean;
beforeEach(() => {
  isLinked = true;
});

/** Starts a process's backfills; awaits `before` ahead of each page; `around` wraps the ledger. */
function startProcess(
  before: Turn = () => undefined,
  pages = PAGES,
  around: (one: Ledger) => Ledger = (one) => one,
) {
  const asked: (string | undefined)[] = [];
  const latest: (string | undefined)[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const workspace = {
    postEphemeral: async ({ user }) => void told.push(user),
    async *history(channel, { readTo, ...range }) {
      asked.push(readTo);
      latest.push(range.latest);
      signals.push(range.signal);
      for (const one of pages) {
        if (readTo !== undefined && (one.readTo ?? '') >= readTo) continue;
        await before(one);
        yield { ...one, shares: one.shares.map((each) => ({ ...each, channel })) };
      }
    },
    thread: async ({ ts }) => {
      threadsRead.push(ts);
      return replies(ts);
    },
  } as Partial<Workspace> as Workspace;
  const stopping = new AbortController();
  const context = contextOf({
    ledger: around(ledger),
    workspace,
    eventsSince: () => NOW,
    clock,
    random,
    findDestination: async () => (isLinked ? FOLDER : null),
  });
  const readers = new JobLoop({ ...context, leaseMs: 60_000, pollMs: 60_000 }, reading(context));
  readers.start();
  const backfills = {
    begin: async (channel: ChannelRef, by: { startedBy: string }) => {
      await ledger.beginBackfill(channel, { ...by, now: clock.now() });
      readers.wake();
    },
    count: createEarlierCount({ ...context, stopping: stopping.signal }),
    stop: async () => {
      stopping.abort(new Error('stopping'));
      await readers.stop(0);
    },
  };
  running = backfills;
  return { asked, latest, signals, backfills };
}

const counted = async () => (await ledger.filesOfReport(1)).states;
const report = async () => ledger.findReport(1);
const refused = (reason: string) => new SlackCallError('SLACK_REFUSED', reason, { reason });

/** Lets time pass once nothing is pending. */
async function pass(ms: number): Promise<void> {
  await clock.advance(0);
  await clock.advance(ms);
}

/** Ends the process; the next start releases its claims, as no other process can hold them. */
async function restart(): Promise<void> {
  running = null;
  await ledger.close();
  ledger = await openLedger(sqliteDialect(dataDir), clock.now());
}

async function claimed(): Promise<(string | undefined)[]> {
  const order = [];
  for (let nth = 0; nth < 6; nth += 1) {
    const lease = { now: clock.now(), until: NOW * 2, token: `c${nth}` };
    order.push((await claimNext(ledger, lease))?.file.id);
  }
  return order;
}

describe('a backfill', () => {
  it('files the channel’s earlier files, oldest first', async () => {
    const { backfills } = startProcess();
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    expect(await claimed()).toEqual(['F101', 'F102', 'F103', 'F104', 'F105', 'F106']);
  });

  it('leaves messages after the last confirmed one to events and catch-up', async () => {
    await ledger.confirmUpTo(CHANNEL, '1700000104.500000');
    const { backfills, latest } = startProcess();
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    expect(latest).toEqual(['1700000104.500000']);
  });

  it('leaves out the last minute, whose events may be in flight, when nothing is confirmed', async () => {
    const { backfills, latest } = startProcess();
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    expect(latest).toEqual([`${(NOW - 60_000) / 1000}.000000`]);
  });

  it('is recorded before anything is read, and resumes after a crash', async () => {
    const never = new Promise<void>(() => undefined);
    const { backfills, asked } = startProcess(() => never);
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(() => asked.length, SOON).toBe(1);
    await restart();
    startProcess();
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
  });

  it('resumes after a crash midway without gaps, in order, and reads no page twice', async () => {
    const never = new Promise<void>(() => undefined);
    const { backfills } = startProcess((one) => (one === PAGES[2] ? never : undefined));
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(counted, SOON).toEqual({ parked: 4 });
    expect(await report()).toMatchObject({ reading: 1 });
    await expect.poll(async () => (await report())?.readTo, SOON).toBe('1700000103.000000');
    await restart();
    const { asked } = startProcess();
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    expect(asked).toEqual(['1700000103.000000']);
    expect(await claimed()).toEqual(['F101', 'F102', 'F103', 'F104', 'F105', 'F106']);
  });

  it('files nothing when it is stopped while it reads', async () => {
    const { promise: pressed, resolve: press } = Promise.withResolvers<void>();
    const { backfills } = startProcess((one) => (one === PAGES[2] ? pressed : undefined));
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(counted, SOON).toEqual({ parked: 4 });
    const row = await report();
    if (row) await ledger.stopReport(row, clock.now());
    press();
    await backfills.stop();
    expect(await claimed()).toEqual(Array.from({ length: 6 }));
    expect(await ledger.findReport(1)).toMatchObject({ stopped: 1 });
    expect(await report()).toMatchObject({ reading: 0 });
  });

  it('takes over the files of a backfill that was stopped', async () => {
    const { backfills } = startProcess();
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    const row = await report();
    if (row) await ledger.stopReport(row, clock.now());
    await backfills.begin(CHANNEL, ADA);
    await expect
      .poll(async () => (await ledger.filesOfReport(2)).states, SOON)
      .toEqual({ recorded: 6 });
  });

  it('waits as long as Slack asks, and then continues', async () => {
    let refused = false;
    const { backfills, asked } = startProcess((one) => {
      if (one !== PAGES[1] || refused) return;
      refused = true;
      throw new SlackCallError('SLACK_RATE_LIMITED', 'wait 30 s', { retryAfterMs: 30_000 });
    });
    await backfills.begin(CHANNEL, ADA);
    const due = async () => (await report())?.nextTryAt;
    await expect.poll(due, SOON).toBe(NOW + 30_000);
    await clock.advance(60_000);
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    expect(asked).toEqual([undefined, '1700000105.000000']);
  });

  it('retries transient failures with growing waits until a page is read', async () => {
    const troubles = ['internal_error', 'a_new_word', 'fatal_error'];
    const { backfills } = startProcess((one) => {
      const trouble = one === PAGES[1] ? troubles.shift() : undefined;
      if (trouble) throw refused(trouble);
    });
    await backfills.begin(CHANNEL, ADA);
    for (const wait of [2_500, 5_000, 10_000]) {
      const waiting = { problem: expect.any(String), nextTryAt: clock.now() + wait };
      await expect.poll(report, SOON).toMatchObject(waiting);
      expect(await report()).toMatchObject({ stopped: 0 });
      await pass(wait);
    }
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    expect(await report()).toMatchObject({ stopped: 0, reading: 0, problem: null });
  });

  it('retries when Slack is unreachable, and after an unexpected error', async () => {
    const unreachable = new SlackCallError('SLACK_UNREACHABLE', 'no answer');
    const troubles = [unreachable, new Error('unheard of')];
    const { backfills } = startProcess(() => {
      const trouble = troubles.shift();
      if (trouble) throw trouble;
    });
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(report, SOON).toMatchObject({ problem: 'SLACK_UNREACHABLE' });
    await pass(2_500);
    await expect.poll(report, SOON).toMatchObject({ problem: 'UNEXPECTED' });
    await clock.advance(30_000);
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
  });

  it('ends with the reason when Slack refuses permanently', async () => {
    const { backfills } = startProcess((one) => {
      if (one === PAGES[1]) throw refused('missing_scope');
    });
    await backfills.begin(CHANNEL, ADA);
    await expect
      .poll(report, SOON)
      .toMatchObject({ stopped: 1, reading: 0, problem: 'missing_scope' });
    expect(await counted()).toEqual({ parked: 2 });
  });

  it('ends with the reason after days of failures', async () => {
    await ledger.beginBackfill(CHANNEL, { ...ADA, now: NOW });
    for (let nth = 0; nth < 99; nth += 1) {
      const lease = { now: NOW, until: NOW + 1, token: 't' };
      const claim = await holdRow(ledger, 'backfill', lease);
      await ledger.failBackfill(claim, { dueAt: NOW, problem: 'fatal_error', now: NOW });
    }
    startProcess(() => {
      throw refused('internal_error');
    });
    await expect
      .poll(report, SOON)
      .toMatchObject({ stopped: 1, reading: 0, problem: 'internal_error' });
  });

  it('ends without a problem when somebody stops it while it waits for a retry', async () => {
    const { backfills } = startProcess(() => {
      throw refused('internal_error');
    });
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(report, SOON).toMatchObject({ nextTryAt: expect.any(Number) });
    const row = await report();
    if (row) await ledger.stopReport(row, clock.now());
    expect(await report()).toMatchObject({ stopped: 1, reading: 0, problem: null });
  });

  it('ends without a problem, with its files parked, when the channel is unlinked meanwhile', async () => {
    const { backfills } = startProcess((one) => {
      isLinked = one !== PAGES[2];
    });
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(report, SOON).toMatchObject({ stopped: 1, reading: 0, problem: null });
    expect(await counted()).toEqual({ parked: 6 });
  });

  it('reads a page again when its shares could not be recorded', async () => {
    let broken = true;
    const before = ({ method }: LedgerCall) => {
      if (method !== 'recordFound' || !broken) return;
      broken = false;
      throw new LedgerError('LEDGER_UNAVAILABLE', 'the disk is full');
    };
    const around = (one: Ledger) => aroundLedger(one, { before });
    const { backfills, asked } = startProcess(undefined, PAGES, around);
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(report, SOON).toMatchObject({ nextTryAt: expect.any(Number) });
    await clock.advance(30_000);
    await expect.poll(counted, SOON).toEqual({ recorded: 6 });
    expect(asked).toEqual([undefined, undefined]);
  });

  it('leaves nothing under the old identifier of a channel that gets another while it is read', async () => {
    let moved = false;
    const before = async ({ method }: LedgerCall) => {
      if (method !== 'recordFound' || moved) return;
      moved = true;
      await ledger.moveChannel(CHANNEL, { to: 'C2', now: clock.now() });
    };
    const around = (one: Ledger) => aroundLedger(one, { before });
    const { backfills } = startProcess(undefined, PAGES, around);
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(async () => (await report())?.reading, SOON).toBe(0);
    expect(await ledger.countParked(CHANNEL, 'past')).toBe(0);
    expect(await counted()).toEqual({ recorded: 6 });
  });

  it('skips a share that cannot be recorded, and notifies its sharer', async () => {
    told = [];
    const refusing = (one: Ledger): Ledger => ({
      ...one,
      recordFound: (claim, found) => {
        const broken = { ts: JSON.parse('null') };
        const shares = found.shares.map((share) => ({
          ...share,
          ...(share.ts === '1700000103.000000' && broken),
        }));
        return one.recordFound(claim, { ...found, shares });
      },
    });
    const { backfills, asked } = startProcess(undefined, PAGES, refusing);
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(counted, SOON).toEqual({ recorded: 5 });
    expect({ told, readings: asked.length }).toEqual({ told: ['U1'], readings: 1 });
  });

  it('keeps its claim while it reads, and stops reading when the claim is lost', async () => {
    const { promise: stopping, reject } = Promise.withResolvers<void>();
    const { backfills, signals } = startProcess(() => stopping);
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(() => signals.length, SOON).toBe(1);
    await clock.advance(5 * 60_000);
    const theirs = { now: clock.now(), until: clock.now() + 1, token: 'theirs' };
    expect(await ledger.claimRow('backfill', theirs)).toBeUndefined();
    expect(signals[0]?.aborted).toBe(false);
    const row = await report();
    if (row) await ledger.stopReport(row, clock.now());
    await clock.advance(20_000);
    expect(signals[0]?.aborted).toBe(true);
    reject(new Error('stopping'));
  });

  it('hands its reading back when the process stops', async () => {
    const { promise: stopping, reject } = Promise.withResolvers<void>();
    const { backfills, asked } = startProcess(() => stopping);
    await backfills.begin(CHANNEL, ADA);
    await expect.poll(() => asked.length, SOON).toBe(1);
    const stopped = backfills.stop();
    reject(new Error('stopping'));
    await stopped;
    expect(await report()).toMatchObject({ nextTryAt: NOW });
    const lease = { now: NOW, until: NOW * 2, token: 'next' };
    expect(await holdRow(ledger, 'backfill', lease)).toMatchObject({ attempts: 1 });
  });
});

describe('counting a channel’s earlier files', () => {
  /** Messages without files that start threads. */
  const chatter = (...threads: number[]): HistoryPage => ({
    ...page(...threads),
    ...{ shares: [], skippedThreads: threads.map((second) => at(second).ts) },
  });

  it('counts files that are not in the ledger, and those that a stopped backfill left there', async () => {
    const { backfills } = startProcess();
    const known = { destination: null, now: NOW };
    await ledger.recordShare(recording(at(106), known));
    await ledger.recordShare(recording(at(105), { ...known, origin: 'backfill' }));
    expect(await backfills.count(CHANNEL)).toEqual({ count: 5, more: false });
  });

  it('counts only the unrecorded files of a recorded message', async () => {
    const added = sharedFile({ id: 'F-added' });
    const known = { ...at(105), files: [...at(105).files, added] };
    const pages = [{ ...page(106, 105), shares: [at(106), known] }];
    const { backfills } = startProcess(undefined, pages);
    await ledger.recordShare(recording({ ...known, files: [added] }, { now: NOW }));
    expect(await backfills.count(CHANNEL)).toEqual({ count: 2, more: false });
  });

  it('counts a reply that was also sent to the channel as one share', async () => {
    const { backfills } = startProcess(undefined, [page(106, 105), page(104, 105)]);
    expect(await backfills.count(CHANNEL)).toEqual({ count: 3, more: false });
  });

  it('counts files from before the bot joined, when the channel was linked before that', async () => {
    await ledger.confirmUpTo(CHANNEL, '1700000101.000000');
    await ledger.recordJoin(CHANNEL, '1700000103.000000');
    const { backfills, latest } = startProcess(undefined, [page(102)]);
    expect(await backfills.count(CHANNEL)).toEqual({ count: 1, more: false });
    expect(latest).toEqual(['1700000103.000000']);
  });

  it('reads no thread when top-level messages have files, and says that there may be more', async () => {
    const { backfills } = startProcess(undefined, [chatter(104, 103), page(102, 101)]);
    expect(await backfills.count(CHANNEL)).toEqual({ count: 2, more: true });
    expect(threadsRead).toEqual([]);
  });

  it('reads threads when no top-level message has a file, until one thread has files', async () => {
    const { backfills } = startProcess(undefined, [chatter(104, 103, 102)]);
    replies = (ts) => (ts === at(103).ts ? [at(105), at(106)] : []);
    expect(await backfills.count(CHANNEL)).toEqual({ count: 2, more: true });
    expect(threadsRead).toEqual([104, 103].map((second) => at(second).ts));
  });

  it('is exact when only the last thread has files', async () => {
    const { backfills } = startProcess(undefined, [chatter(104, 103), chatter(102)]);
    replies = (ts) => (ts === at(102).ts ? [at(105)] : []);
    expect(await backfills.count(CHANNEL)).toEqual({ count: 1, more: false });
  });

  it('returns zero when no thread has a file either', async () => {
    const { backfills } = startProcess(undefined, [chatter(104), chatter(102)]);
    expect(await backfills.count(CHANNEL)).toEqual({ count: 0, more: false });
    expect(threadsRead).toEqual([104, 102].map((second) => at(second).ts));
  });

  it('runs once for all concurrent callers of a channel', async () => {
    const { backfills, asked } = startProcess();
    const other = { ...CHANNEL, channel: 'C2' };
    await Promise.all([CHANNEL, CHANNEL, other, CHANNEL].map(backfills.count));
    expect(asked).toHaveLength(2);
    await backfills.count(CHANNEL);
    expect(asked).toHaveLength(3);
  });

  it('rejects when Slack refuses permanently', async () => {
    const { backfills } = startProcess(() => {
      throw refused('not_in_channel');
    });
    await expect(backfills.count(CHANNEL)).rejects.toMatchObject({ reason: 'not_in_channel' });
  });

  it('rejects when Slack keeps failing', async () => {
    const { backfills, asked } = startProcess(() => {
      throw refused('internal_error');
    });
    await expect(backfills.count(CHANNEL)).rejects.toMatchObject({ reason: 'internal_error' });
    expect(asked).toHaveLength(1);
  });

  it('rejects when the process stops', async () => {
    const { backfills, signals } = startProcess(async () => {
      const [signal] = signals;
      if (signal) await once(signal, 'abort');
      signal?.throwIfAborted();
    });
    const counted = expect(backfills.count(CHANNEL)).rejects.toThrow('stopping');
    await expect.poll(() => signals.length, SOON).toBe(1);
    await backfills.stop();
    await counted;
  });
});
