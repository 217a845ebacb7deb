import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unlessAborted } from '../../src/base/index.ts';
import { CatchUpSchedule } from '../../src/engine/index.ts';
import { type Ledger, LedgerError } from '../../src/ledger/index.ts';
import { slackTsFrom } from '../../src/slack/index.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';
import { running } from '../support/running.ts';
import { contextOf, type WholeContext } from './context-of.ts';

const HOUR_MS = 60 * 60_000;

let clock: FakeClock;
/** When Slack was asked for the channels, which each run does once. */
let runs: number[];
/** Of each run, whether it followed an interruption. */
let interruptions: boolean[];
/** Whether the ledger rejects the start of a run. */
let ledgerIsAway: boolean;
let context: WholeContext;
let schedule: CatchUpSchedule;
let process: ReturnType<typeof running>;
beforeEach(() => {
  clock = createFakeClock(0);
  process = running();
  runs = [];
  interruptions = [];
  ledgerIsAway = false;
  const workspace = {
    identity: { team: 'T1', botUserId: 'UBOT', botId: undefined },
    listsAll: true,
    channels: async () => {
      runs.push(clock.now());
      return [];
    },
  };
  const ledger = {
    listLinks: async () => new Map(),
    requestCatchUp: async ({ isInterrupted }: { isInterrupted: boolean }) => {
      interruptions.push(isInterrupted);
      if (ledgerIsAway) throw new LedgerError('LEDGER_UNAVAILABLE', 'locked');
    },
  };
  context = contextOf({
    ...{ ledger, workspace, clock, ...process },
    findDestination: async () => null,
  });
  schedule = new CatchUpSchedule(context, { begunTs: slackTsFrom(clock.now()), wasAway: true });
  schedule.start();
});
afterEach(() => process.stop());

describe('the catch-up schedule', () => {
  it('runs a catch-up at the start and every hour', async () => {
    await clock.advance(HOUR_MS - 1);
    expect(runs).toEqual([0]);
    await clock.advance(2 * HOUR_MS);
    expect(runs).toEqual([0, HOUR_MS, 2 * HOUR_MS]);
  });

  it('runs a catch-up when asked, and the next one an hour later', async () => {
    await clock.advance(60_000);
    schedule.runSoon(0);
    await clock.advance(0);
    await clock.advance(HOUR_MS);
    expect(runs).toEqual([0, 60_000, 60_000 + HOUR_MS]);
  });

  it('takes an absence and a longer outage for an interruption, and nothing else', async () => {
    await clock.advance(0);
    schedule.runSoon(59_999);
    await clock.advance(0);
    schedule.runSoon(60_000);
    await clock.advance(HOUR_MS);
    expect(interruptions).toEqual([true, false, true, false]);
  });

  it('takes a start after less than a minute for no interruption', async () => {
    await clock.advance(0);
    const begun = { begunTs: slackTsFrom(clock.now()), wasAway: false };
    new CatchUpSchedule(context, begun).start();
    await clock.advance(0);
    expect(interruptions).toEqual([true, false]);
  });

  it('runs a catch-up again soon when the ledger rejected the last one', async () => {
    await clock.advance(HOUR_MS - 1);
    ledgerIsAway = true;
    await clock.advance(20_000);
    ledgerIsAway = false;
    await clock.advance(60_000);
    expect(runs).toEqual([0, HOUR_MS, HOUR_MS + 20_000]);
  });

  it('also reads the linked channels where Slack does not list all kinds, and does not count as whole', async () => {
    await process.stop();
    process = running();
    const asked: Parameters<Ledger['requestCatchUp']>[0][] = [];
    const workspace = {
      identity: { team: 'T1', botUserId: 'UBOT', botId: undefined },
      listsAll: false,
      channels: async () => ['C1'],
    };
    const ledger: Partial<Ledger> = {
      requestCatchUp: async (request) => void asked.push(request),
      listLinks: async () => new Map([['G1', {}]]) as never,
    };
    const destination = { projectId: 1, folderId: 2, projectTitle: null, folderName: null };
    const findDestination = async () => ({ ...destination, isDefault: false });
    const context = contextOf({ ledger, workspace, clock, findDestination, ...process });
    schedule = new CatchUpSchedule(context, { begunTs: slackTsFrom(clock.now()), wasAway: true });
    schedule.start();
    await clock.advance(0);
    expect(asked).toMatchObject([{ channels: ['C1', 'G1'], all: false }]);
  });

  it('does not wait for Slack’s list of channels when it is stopped, and does not warn of that', async () => {
    await process.stop();
    process = running();
    const workspace = {
      identity: { team: 'T1', botUserId: 'UBOT', botId: undefined },
      listsAll: true,
      channels: (signal: AbortSignal) => unlessAborted(new Promise<string[]>(() => {}), signal),
    };
    const ledger: Partial<Ledger> = {
      requestCatchUp: async () => undefined,
      listLinks: async () => new Map(),
    };
    const { logger, lines } = createListLogger();
    const context = contextOf({ ledger, workspace, clock, logger, ...process });
    schedule = new CatchUpSchedule(context, { begunTs: slackTsFrom(clock.now()), wasAway: true });
    schedule.start();
    await process.stop();
    expect([clock.sleepers(), lines]).toEqual([0, []]);
  });

  it('runs nothing once it is stopped', async () => {
    await clock.advance(60_000);
    await process.stop();
    schedule.runSoon(0);
    await clock.advance(HOUR_MS);
    expect(runs).toEqual([0]);
    expect(clock.sleepers()).toBe(0);
  });
});
