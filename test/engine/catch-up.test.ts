import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { type HistoryPage, SlackCallError, type Workspace } from '../../src/slack/index.ts';
import { folderLink, share, sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { runCatchUp } from './run-catch-up.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 60 * 60_000;
const ts = (ms: number) => (ms / 1000).toFixed(6);

let ledger: Ledger;
let clock: FakeClock;
/** The channels that the bot is in, with the history pages of each. */
let channels: Record<string, Omit<HistoryPage, 'skippedThreads'>[]>;
let before: (channel: string) => void;
let beforeList: () => void;

beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
  await ledger.beginRun(NOW);
  channels = { 'C2-old': [] };
  before = () => undefined;
  beforeList = () => undefined;
});
afterEach(() => ledger.close());

const workspace: Pick<Workspace, 'channels' | 'listsAll' | 'history'> = {
  listsAll: true,
  channels: async () => {
    beforeList();
    return Object.keys(channels);
  },
  async *history(channel, { oldest, threadsSince }) {
    if (threadsSince !== undefined) return;
    before(channel);
    for (const page of channels[channel] ?? [])
      yield {
        ...page,
        skippedThreads: [],
        shares: page.shares.filter((one) => one.ts > oldest),
      };
  },
};

/** Runs a catch-up; returns how many files were recorded. */
function run(
  signal = new AbortController().signal,
  instead: Partial<Ledger> = {},
): Promise<number> {
  const eventsSince = () => clock.now();
  return runCatchUp({ ledger: { ...ledger, ...instead }, workspace, clock, eventsSince, signal });
}

describe('catch-up of a channel that the bot joined while the process was away', () => {
  // The process runs once, and comes back an hour later.
  beforeEach(async () => {
    await run();
    const shares = [
      share({
        channel: 'C3-new',
        ts: ts(NOW + 40 * 60_000),
        files: [sharedFile({ id: 'F-missed' })],
      }),
      share({
        channel: 'C3-new',
        ts: ts(NOW + 10 * 60_000),
        files: [sharedFile({ id: 'F-before' })],
      }),
    ];
    channels['C3-new'] = [{ shares, moves: [{ kind: 'join', ts: ts(NOW + 20 * 60_000) }] }];
    await clock.advance(HOUR_MS);
  });

  const anHourLater = async () => {
    await clock.advance(HOUR_MS);
    return run();
  };

  it('reads the channel in the first run', async () => {
    expect(await run()).toBe(1);
    expect(await anHourLater()).toBe(0);
  });

  it('reads the channel in a later run when the first was stopped before it', async () => {
    const stopping = new AbortController();
    const finishCatchUp: Ledger['finishCatchUp'] = async (...ended) => {
      await ledger.finishCatchUp(...ended);
      stopping.abort(new Error('stopping'));
    };
    expect(await run(stopping.signal, { finishCatchUp })).toBe(0);
    expect(await anHourLater()).toBe(1);
  });

  it('reads the channel in a later run when Slack refused it to the first', async () => {
    before = (channel) => {
      if (channel !== 'C3-new') return;
      throw new SlackCallError('SLACK_REFUSED', 'missing_scope', { reason: 'missing_scope' });
    };
    expect(await run()).toBe(0);
    before = () => undefined;
    expect(await anHourLater()).toBe(1);
  });

  it('reads the channel in a later run when the first could not list the channels', async () => {
    const link = folderLink();
    await ledger.setLink({ team: 'T1', channel: 'C2-old' }, link);
    beforeList = () => {
      throw new SlackCallError('SLACK_UNREACHABLE', 'no answer');
    };
    expect(await run()).toBe(0);
    expect(clock.now()).toBeLessThan(NOW + 2 * HOUR_MS);
    beforeList = () => undefined;
    expect(await anHourLater()).toBe(1);
  });

  it('reads the channel in a later run when the very first run never finished', async () => {
    await ledger.close();
    ledger = await openEmptyLedger(NOW);
    await ledger.beginRun(NOW);
    const { 'C3-new': joined, ...rest } = channels;
    channels = rest;
    clock = createFakeClock(NOW);
    const stopping = new AbortController();
    const requestCatchUp: Ledger['requestCatchUp'] = async (asked) => {
      await ledger.requestCatchUp(asked);
      stopping.abort(new Error('stopping'));
    };
    expect(await run(stopping.signal, { requestCatchUp })).toBe(0);
    channels = { ...rest, 'C3-new': joined ?? [] };
    expect(await anHourLater()).toBe(1);
  });
});

describe('a transient failure during catch-up', () => {
  const FAILED = new SlackCallError('SLACK_UNREACHABLE', 'no answer');
  const asked: string[] = [];
  beforeEach(async () => {
    await run();
    const shares = [share({ ts: ts(NOW + 40 * 60_000) })];
    channels = {
      C1: [{ shares, moves: [{ kind: 'join', ts: ts(NOW + 20 * 60_000) }] }],
      'C2-old': [],
    };
    await clock.advance(HOUR_MS);
    asked.length = 0;
  });

  /** Throws a failure the first `times` times. */
  const passing = (times: number) => () => {
    times -= 1;
    if (times >= 0) throw FAILED;
  };

  it('is retried in the same run, for the failing channel only', async () => {
    const trouble = passing(2);
    before = (channel) => {
      asked.push(channel);
      if (channel === 'C1') trouble();
    };
    expect(await run()).toBe(1);
    expect(asked).toEqual(['C1', 'C2-old', 'C1', 'C1']);
    expect(clock.now()).toBeLessThan(NOW + HOUR_MS + 5 * 60_000);
  });

  it('is retried in the same run, for the list of channels', async () => {
    beforeList = passing(2);
    before = (channel) => asked.push(channel);
    expect(await run()).toBe(1);
    expect(asked).toEqual(['C1', 'C2-old']);
  });

  it('is left to the next run when it persists', async () => {
    before = (channel) => {
      if (channel === 'C1') throw FAILED;
    };
    expect(await run()).toBe(0);
    expect(clock.now()).toBeLessThan(NOW + 2 * HOUR_MS);
  });
});
