import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ledger, LedgerError } from '../../src/ledger/index.ts';
import { type HistoryPage, SlackCallError, type Workspace } from '../../src/slack/index.ts';
import { folderLink, share, sharedFile } from '../support/builders.ts';
import { holdRow } from '../support/claim-next.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { runCatchUp } from './run-catch-up.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 60 * 60_000;
const C1 = { team: 'T1', channel: 'C1' };
const ts = (secondsAgo: number) => (NOW / 1000 - secondsAgo).toFixed(6);
const at = (secondsAgo: number, id: string) =>
  share({ ts: ts(secondsAgo), files: [sharedFile({ id })] });
const NOTHING: HistoryPage = { shares: [], skippedThreads: [], moves: [] };
const PAGE: HistoryPage = { ...NOTHING, shares: [at(200, 'F1')] };

let clock: FakeClock;
let ledger: Ledger;
/** Returns the history pages of a channel, or throws what Slack answers. */
let read: (channel: string) => AsyncIterable<HistoryPage> | Iterable<HistoryPage>;
let eventsSince: number;
/** The users notified of shares that could not be recorded. */
let told: string[];
/** Each reading of a newest page: of which channel, when, and from where. */
let reads: { channel: string; afterMs: number; oldest: string }[];
/** Each reading of a channel's rest, from where, and since when threads. */
let rests: { channel: string; oldest: string; threadsSince: string }[];

beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
  await ledger.beginRun(NOW);
  await ledger.confirmUpTo(C1, ts(1_000));
  read = () => [PAGE];
  eventsSince = NOW;
  [reads, rests] = [[], []];
  told = [];
});
afterEach(() => ledger.close());

const mark = async () => (await ledger.findHistoryMarks(C1)).confirmedTs;

/** Runs a catch-up; returns how many files were recorded. */
async function run({
  channels = ['C1'] as string[] | Error,
  instead = {} as Partial<Ledger>,
} = {}): Promise<number> {
  const workspace: Pick<Workspace, 'channels' | 'listsAll' | 'history' | 'postEphemeral'> = {
    postEphemeral: async ({ user }) => void told.push(user),
    listsAll: true,
    channels: async () => {
      if (channels instanceof Error) throw channels;
      return channels;
    },
    async *history(channel, { oldest, threadsSince }) {
      if (threadsSince === undefined) reads.push({ channel, afterMs: clock.now() - NOW, oldest });
      else rests.push({ channel, oldest, threadsSince });
      yield* read(channel);
    },
  };
  return runCatchUp({
    ledger: { ...ledger, ...instead },
    workspace,
    clock,
    eventsSince: () => eventsSince,
  });
}

describe('the mark up to which a channel has been read', () => {
  it('is set some minutes before the reading began, as events may be in flight', async () => {
    read = async function* () {
      await clock.sleep(10_000);
      yield PAGE;
    };
    expect(await run()).toBe(1);
    // The rest is read after the ten seconds that the newest page took, and a millisecond.
    expect(await mark()).toBe(ts(349.999));
  });

  it('is ignored when a fast clock set it in the future, so that missed files are found', async () => {
    await ledger.confirmUpTo(C1, ts(-2 * 3_600));
    expect(await run()).toBe(1);
    expect(reads).toMatchObject([{ oldest: ts(86_400) }]);
  });

  it('is trusted when it is slightly in the future, as Slack’s clock differs from ours', async () => {
    await ledger.confirmUpTo(C1, ts(-60));
    expect(await run()).toBe(0);
  });

  it('stays when the found files could not be recorded, and the next run finds them', async () => {
    const full = async () => {
      throw new LedgerError('LEDGER_UNAVAILABLE', 'the disk is full');
    };
    expect(await run({ instead: { recordFound: full } })).toBe(0);
    expect(await mark()).toBe(ts(1_000));
    expect(await run()).toBe(1);
  });

  it('moves past shares that cannot be recorded, and their sharers are notified', async () => {
    const error = new LedgerError('LEDGER_UNRECORDABLE', 'too long');
    const unrecordable = [{ share: share({ ts: ts(300), userId: 'U7' }), error }];
    read = () => [{ ...NOTHING, shares: [at(500, 'F1')] }];
    const passOver = async () => ({ files: 4, unrecordable });
    expect(await run({ instead: { recordFound: passOver } })).toBe(4);
    expect(told).toEqual(['U7']);
    expect(await mark()).toBe(ts(359.999));
  });

  it('stays when Slack fails midway, while the other channels are read', async () => {
    await ledger.confirmUpTo({ ...C1, channel: 'C2' }, ts(1_000));
    read = function* (channel) {
      yield channel === 'C2' ? PAGE : NOTHING;
      if (channel === 'C1') throw new SlackCallError('SLACK_UNREACHABLE', 'no answer');
    };
    expect(await run({ channels: ['C1', 'C2'] })).toBe(1);
    expect(await mark()).toBe(ts(1_000));
  });

  it('is not moved by an instance that lost the channel, which records nothing either', async () => {
    read = async function* () {
      await ledger.sweepLeases(['catch-up', 'backfill'], { now: NOW + HOUR_MS });
      const theirs = { now: NOW + HOUR_MS, until: NOW + 2 * HOUR_MS, token: 'theirs' };
      expect(await ledger.claimRow('catch-up', theirs)).toBeDefined();
      yield PAGE;
    };
    expect(await run()).toBe(0);
    expect(await mark()).toBe(ts(1_000));
    expect(await ledger.unknownFiles(C1, PAGE.shares)).toEqual(PAGE.shares);
  });

  it('is where reading begins, and after an interruption that of threads from 30 days before', async () => {
    await run();
    const threadsSince = ts(1_000 + 30 * 24 * 60 * 60);
    expect(reads).toEqual([{ channel: 'C1', afterMs: 0, oldest: ts(1_000) }]);
    expect(rests).toEqual([{ channel: 'C1', oldest: ts(1_000), threadsSince }]);
  });
});

describe('the missed files', () => {
  it.each([
    ['are all files shared before events came in', 10, 2],
    ['are only the files whose events are overdue', 600, 1],
  ])('%s', async (_what, secondsAgo, files) => {
    read = () => [{ ...NOTHING, shares: [at(5, 'F3'), at(30, 'F2'), at(90, 'F1')] }];
    eventsSince = NOW - secondsAgo * 1_000;
    expect(await run()).toBe(files);
  });

  it('are replies of any age where threads are read, as they are not read again that day', async () => {
    const reply = { ...at(5, 'F3'), threadTs: ts(2_000) };
    read = () => [{ ...NOTHING, shares: [reply, at(5, 'F2')] }];
    eventsSince = NOW - 600_000;
    expect(await run()).toBe(1);
    expect(await ledger.unknownFiles(C1, [reply])).toEqual([]);
  });

  it('are reported once, even when the history is read again', async () => {
    expect(await run()).toBe(1);
    await clock.advance(60_000);
    expect(await run()).toBe(0);
    expect(reads).toHaveLength(2);
    expect(await ledger.findReport(2)).toBeUndefined();
  });
});

describe('catch-up of a channel that another instance reads', () => {
  const theirs = { now: NOW, until: NOW + 30_000, token: 'theirs' };
  beforeEach(async () => {
    const asked = {
      ...{ team: 'T1', channels: ['C1'], all: true, isInterrupted: false },
      ...{ begunTs: ts(360), now: NOW },
    };
    await ledger.requestCatchUp(asked);
    await holdRow(ledger, 'catch-up', theirs);
  });

  it('reads it when the other instance’s lease has expired', async () => {
    expect(await run()).toBe(1);
    expect(reads.map(({ afterMs }) => afterMs >= 30_000)).toEqual([true]);
  });

  it('skips it when the other instance has read it since', async () => {
    const requestCatchUp: Ledger['requestCatchUp'] = async (asked) => {
      const now = clock.now();
      const read = { confirmedTs: null, threadsTs: ts(0), read: 'newest', now } as const;
      const end = { ...read, isInterrupted: false };
      await ledger.finishCatchUp({ token: 'theirs' }, end);
      await ledger.requestCatchUp(asked);
      const again = { now, until: now + 30_000, token: 'again' };
      await ledger.finishCatchUp(await holdRow(ledger, 'catch-up', again), end);
    };
    expect(await run({ instead: { requestCatchUp } })).toBe(0);
    expect(reads).toEqual([]);
  });
});

it('catch-up waits as long as Slack asks before it reads the next channel', async () => {
  await ledger.confirmUpTo({ ...C1, channel: 'C2' }, ts(300));
  read = (channel) => {
    if (channel === 'C2') return [];
    throw new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 30_000 });
  };
  await run({ channels: ['C1', 'C2'] });
  expect(reads[1]).toMatchObject({ channel: 'C2', afterMs: 30_000 });
});

it('catch-up reads the linked channels when Slack does not list the bot’s channels', async () => {
  const link = folderLink({ linkedAt: NOW });
  await ledger.setLink(C1, link);
  expect(await run({ channels: new SlackCallError('SLACK_UNREACHABLE', 'no answer') })).toBe(1);
});
