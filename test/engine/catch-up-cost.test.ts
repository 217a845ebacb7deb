import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../src/app-options.ts';
import { silentLogger, systemRandom } from '../../src/base/index.ts';
import { CatchUpSchedule, type EngineContext, JobLoop, reading } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  createPaces,
  getFile,
  openWorkspace,
  slackTs,
  slackTsFrom,
} from '../../src/slack/index.ts';
import { DESTINATION } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { running } from '../support/running.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of a thousand, all takes five times as long. */
const CHANNELS = Array.from({ length: 200 }, (_, nth) => `C${1_000 + nth}`);
/** All have threads with new replies; this one also has a second page of new messages. */
const BUSIEST = 'C1100';
const THREADS = 2;

interface Call {
  method: string;
  channel: string;
  oldest: string;
  at: number;
}

let ledger: Ledger;
let clock: FakeClock;
let calls: Call[];
/** A message with a file that no event brought; none at first. */
let missed: { channel: string; ts: string } | null;
let stop: () => Promise<unknown>;

beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
  await ledger.beginRun(NOW);
  const listed = { team: 'T1', channels: CHANNELS, all: true, begunTs: slackTs(NOW) };
  await ledger.requestCatchUp({ ...listed, isInterrupted: false, now: NOW });
  // The process was away for the night.
  await clock.advance(8 * HOUR_MS);
  [calls, missed] = [[], null];
  await start();
});
afterEach(async () => {
  await stop();
  await ledger.close();
});

async function start(): Promise<void> {
  const workspace = await openWorkspace({
    ...{ botToken: 'xoxb', slackApiUrl: 'https://slack.example/api/', logger: silentLogger },
    ...{ fetch: answer, getFile, clock, keepPersonMs: 0 },
    paces: createPaces(DEFAULT_OPTIONS.historyEveryMs, clock),
  });
  const process = running();
  const destination = { ...DESTINATION, projectTitle: null, folderName: null, isDefault: true };
  const context: EngineContext = contextOf({
    ...{ ledger, clock, workspace, random: systemRandom, ...process },
    eventsSince: () => NOW + 8 * HOUR_MS,
    findDestination: async () => destination,
    wake: () => readers.wake(),
  });
  const readers = new JobLoop({ ...context, leaseMs: 60_000, pollMs: 60_000 }, reading(context));
  const schedule = new CatchUpSchedule(context, {
    begunTs: slackTsFrom(clock.now()),
    wasAway: true,
  });
  stop = () => Promise.all([process.stop(), readers.stop(0)]);
  schedule.start();
  readers.start();
}

/** Slack, with messages that are newer than all marks. */
async function answer(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  const method = String(address).replace('https://slack.example/api/', '');
  const {
    channel = '',
    oldest = '',
    cursor,
  } = Object.fromEntries(new URLSearchParams(String(init?.body ?? '')));
  if (channel) calls.push({ method, channel, oldest, at: clock.now() });
  const ts = (nth: number) => slackTs(clock.now() - nth * 1_000);
  const threads = Array.from({ length: THREADS }, (_, nth) => ({
    ...{ ts: ts(nth + 1), user: 'U1', reply_count: 1, latest_reply: ts(0) },
  }));
  const isFirstHour = clock.now() < NOW + 9 * HOUR_MS - 1;
  const next_cursor = isFirstHour && channel === BUSIEST && !cursor ? 'more' : '';
  const answers: Record<string, object> = {
    'auth.test': { team_id: 'T1', user_id: 'UBOT', bot_id: 'BBOT', app_id: 'A1' },
    'users.conversations': { channels: CHANNELS.map((id) => ({ id })) },
    'conversations.history': {
      messages: channel === missed?.channel ? [...threads, withFile(missed.ts)] : threads,
      response_metadata: { next_cursor },
    },
    'conversations.replies': { messages: [] },
  };
  return new Response(JSON.stringify({ ok: true, ...answers[method] }));
}

function withFile(ts: string) {
  const files = [{ id: 'F1', name: 'missed.pdf', size: 10, mode: 'hosted' }];
  return { ts, user: 'U1', subtype: 'file_share', files };
}

/** Lets time pass; returns the calls about channels meanwhile. */
async function callsWithin(ms: number): Promise<Call[]> {
  const from = calls.length;
  await clock.advance(ms);
  return calls.slice(from);
}

const of = (method: string, some: Call[]) => some.filter((call) => call.method === method);

const EVERY_MS = DEFAULT_OPTIONS.historyEveryMs;
/** How long Slack's limit takes for one call about each channel; the list of them is one more. */
const ROUND_MS = CHANNELS.length * EVERY_MS;

const channelsOf = (some: Call[]) => some.map(({ channel }) => channel).toSorted();

it('a start first reads the newest page of each channel, with one call each: 20 minutes for 1,000 channels', async () => {
  expect(1_000 * EVERY_MS).toBeLessThanOrEqual(20 * MINUTE_MS);
  const first = await callsWithin(ROUND_MS + EVERY_MS - 1);
  expect(first.map(({ method }) => method)).toEqual(CHANNELS.map(() => 'conversations.history'));
  expect(channelsOf(first)).toEqual(CHANNELS);
});

it('a start then reads the threads of the night and further pages, and the hourly round only what is new', async () => {
  const all = await callsWithin(HOUR_MS - 1);
  const begun = Math.min(...of('conversations.replies', all).map(({ at }) => at));
  expect(begun).toBeGreaterThanOrEqual(NOW + 8 * HOUR_MS + ROUND_MS);
  const threads = [...CHANNELS, ...CHANNELS, BUSIEST, BUSIEST].toSorted();
  expect(channelsOf(of('conversations.replies', all))).toEqual(threads);
  const pages = [...CHANNELS, ...CHANNELS, BUSIEST].toSorted();
  expect(channelsOf(of('conversations.history', all))).toEqual(pages);

  const round = await callsWithin(HOUR_MS);
  expect(of('conversations.replies', round)).toEqual([]);
  expect(channelsOf(of('conversations.history', round))).toEqual([...CHANNELS].toSorted());
  const overlaps = round.map(({ channel, oldest }) => {
    const last = all.findLast((call) => call.channel === channel);
    return (last?.at ?? 0) - Number(oldest) * 1_000;
  });
  expect(Math.max(...overlaps)).toBeLessThanOrEqual(10 * MINUTE_MS);
});

it('an hourly round that finds a file which no event brought reads the threads of all channels, once', async () => {
  await callsWithin(HOUR_MS - 1);
  missed = { channel: CHANNELS[150] ?? '', ts: slackTs(clock.now() - 10 * MINUTE_MS) };
  const round = await callsWithin(HOUR_MS);
  const threads = [...CHANNELS, ...CHANNELS].toSorted();
  expect(channelsOf(of('conversations.replies', round))).toEqual(threads);
  expect(of('conversations.replies', await callsWithin(HOUR_MS))).toEqual([]);
});
