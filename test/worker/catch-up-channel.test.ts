import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import type { HistoryPage, Workspace } from '../../src/slack/index.ts';
import { catchUp } from '../../src/worker/index.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { share, sharedFile } from '../support/shares.ts';
import { catchUpContext } from './catch-up-context.ts';

const NOW = 1_700_000_000_000;
const ts = (secondsAgo: number) => (NOW / 1000 - secondsAgo).toFixed(6);
const at = (secondsAgo: number, id: string) =>
  share({ ts: ts(secondsAgo), files: [sharedFile({ id })] });

let ledger: Ledger;
beforeEach(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pigeonhole-catch-up-'));
  ledger = await openLedger(sqliteDialect(dataDir), NOW);
  await ledger.beginRun(NOW);
});
afterEach(() => ledger.close());

type History = Workspace['history'];

function contextOf(channels: string[], history: History, clock = createFakeClock(NOW)) {
  const workspace = {
    channels: async () => channels,
    history,
  };
  return catchUpContext({ ledger, workspace, clock, eventsSince: () => NOW });
}

/** Runs a catch-up over one channel whose history is these pages; answers the recorded files. */
async function caughtUp(pages: HistoryPage[], channels = ['C1']): Promise<number> {
  const history: History = async function* (channel) {
    if (channel === channels.at(-1)) yield* pages;
  };
  return catchUp(contextOf(channels, history), new AbortController().signal);
}

describe('a channel that is new to the ledger', () => {
  const shares = [at(10, 'F-after'), at(500, 'F-before')];

  it('is left alone by the very first run: what it holds is offered, not taken', async () => {
    expect(await caughtUp([{ shares, joinedTs: ts(100) }])).toBe(0);
  });

  it('is read from where the bot joined it, when that was while the process was away', async () => {
    await ledger.setAwaySince(ts(1_000));
    expect(await caughtUp([{ shares, joinedTs: ts(100) }])).toBe(1);
    const known = await ledger.knownShares(
      { team: 'T1', channel: 'C1' },
      shares.map((one) => one.ts),
    );
    expect(known).toEqual(new Set([ts(10)]));
  });

  it('is read so too after another channel that was read in the same run', async () => {
    await ledger.setAwaySince(ts(1_000));
    expect(await caughtUp([{ shares, joinedTs: ts(100) }], ['C-other', 'C1'])).toBe(1);
  });

  it('is read whole since then when nothing tells of the bot joining: it was there before', async () => {
    await ledger.setAwaySince(ts(1_000));
    expect(await caughtUp([{ shares, joinedTs: null }])).toBe(2);
  });
});

describe('a channel that is known', () => {
  beforeEach(() => ledger.confirmUpTo({ team: 'T1', channel: 'C1' }, ts(300)));

  it('is read from its last confirmed message, once', async () => {
    const pages = [{ shares: [at(10, 'F2'), at(200, 'F1')], joinedTs: null }];
    expect(await caughtUp(pages)).toBe(2);
    expect(await caughtUp(pages)).toBe(0);
  });

  it('is told of in one report', async () => {
    await caughtUp([{ shares: [at(10, 'F2'), at(200, 'F1')], joinedTs: null }]);
    const report = await ledger.claimReport({ now: NOW, until: NOW + 1, token: 'x' });
    expect(await ledger.countReport(report?.id ?? 0)).toEqual({ recorded: 2 });
  });
});

describe('a channel that the bot was taken out of while the process was away, and invited to again', () => {
  const shares = [at(20, 'F-after'), at(100, 'F-between'), at(280, 'F-before')];
  const recorded = async () => {
    const timestamps = shares.map((one) => one.ts);
    return ledger.knownShares({ team: 'T1', channel: 'C1' }, timestamps);
  };
  beforeEach(() => ledger.confirmUpTo({ team: 'T1', channel: 'C1' }, ts(300)));

  it('is read but for what was shared without the bot', async () => {
    await caughtUp([
      { shares: shares.slice(0, 1), joinedTs: ts(50) },
      { shares: shares.slice(1), joinedTs: null, leftTs: ts(200) },
    ]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(280)]));
  });

  it('is read whole when its history does not tell of the leave', async () => {
    await caughtUp([{ shares, joinedTs: ts(50) }]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(100), ts(280)]));
  });

  it('is read whole after a leave of before', async () => {
    await caughtUp([{ shares, joinedTs: ts(290), leftTs: ts(295) }]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(100), ts(280)]));
  });
});

describe('a channel whose history takes long to read', () => {
  const MINUTE_MS = 60_000;
  const CALLS = 20;
  beforeEach(() => ledger.confirmUpTo({ team: 'T1', channel: 'C1' }, ts(300)));

  /** One page with many threads: each call takes a minute. */
  const longHistory = (clock: FakeClock, meanwhile: () => Promise<void>): History =>
    async function* (_channel, { beforeCall }) {
      for (let call = 0; call < CALLS; call += 1) {
        await beforeCall?.();
        await clock.advance(MINUTE_MS);
        await meanwhile();
      }
      yield { shares: [at(200, 'F1')], joinedTs: null };
    };

  it('is one instance’s all the time, page or no page', async () => {
    const clock = createFakeClock(NOW);
    const got: unknown[] = [];
    const history = longHistory(clock, async () => {
      const claim = { team: 'T1', channel: 'C1', until: clock.now() + MINUTE_MS };
      got.push(await ledger.claimCatchUp(claim, clock.now()));
    });
    const context = contextOf(['C1'], history, clock);
    expect(await catchUp(context, new AbortController().signal)).toBe(1);
    expect(got).toEqual(Array.from({ length: CALLS }, () => null));
  });

  it('is left at once by an instance that slept, when another has it', async () => {
    const clock = createFakeClock(NOW);
    let calls = 0;
    const stopping = new AbortController();
    const history = longHistory(clock, async () => {
      calls += 1;
      await clock.advance(10 * MINUTE_MS);
      const claim = { team: 'T1', channel: 'C1', until: clock.now() + 100 * MINUTE_MS };
      expect(await ledger.claimCatchUp(claim, clock.now())).not.toBeNull();
      stopping.abort(new Error('stopping'));
    });
    expect(await catchUp(contextOf(['C1'], history, clock), stopping.signal)).toBe(0);
    expect(calls).toBe(1);
  });
});
