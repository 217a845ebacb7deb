import { systemClock } from '../../../src/base/index.ts';
import {
  type EmbeddedSlack,
  startEmbeddedSlack,
} from '../../../src/playground/embedded-slack/index.ts';
import { serveCalls } from './serve-calls.ts';
import { createAsker } from './slack-asker.ts';
import { type PreparedShares, prepareEnvelopes, prepareShares } from './slack-shares.ts';

export interface SlackAddress {
  apiUrl: string;
  botToken: string;
  signingSecret: string;
}

export interface SlackCalls {
  [name: string]: (argument: never) => unknown;
  start(dataDir: string): Promise<SlackAddress>;
  connectApp(url: string): void;
  /**
   * Shares files while the app is not connected; returns the identifiers of the undelivered events.
   */
  prepareShares(shares: PreparedShares): Promise<string[]>;
  /** As `prepareShares`, but returns the requests' bodies, for a bench that sends them itself. */
  prepareEnvelopes(shares: PreparedShares): Promise<string[]>;
  /**
   * Delivers all events to the app at once; returns when the first was sent, in epoch milliseconds.
   */
  deliver(eventIds: string[]): Promise<number>;
  /**
   * Shares a file of this many bytes, generated as it is read; returns when, in epoch milliseconds.
   */
  shareLarge(file: { name: string; bytes: number }): Promise<{ at: number; url: string }>;
  /** Makes a person type `/files` at this interval, without waiting for responses. */
  beginAsking(options: { everyMs: number }): void;
  /**
   * Returns the milliseconds from each command to its response; waits for those that are missing.
   */
  endAsking(options: { withinMs: number }): Promise<number[]>;
  /** Resolves when this many messages of the channel have a reply of the app in their thread. */
  untilTold(goal: { shares: number; withinMs: number }): Promise<number>;
  /**
   * Resolves when the app has reported this many messages as filed, with the time of the last
   * report.
   */
  untilDone(goal: { shares: number; withinMs: number }): Promise<number>;
}

const CHANNEL = 'general';
/**
 * Longer than Slack's: many processes start at once, and a late response must become a figure, not
 * end the run.
 */
const RESPONSE_TIMEOUT_MS = 30_000;

let slack: EmbeddedSlack | null = null;

function started(): EmbeddedSlack {
  if (!slack) throw new Error('Slack has not been started');
  return slack;
}

const asker = createAsker(started, CHANNEL);

async function start(dataDir: string): Promise<SlackAddress> {
  slack = await startEmbeddedSlack({
    dataDir,
    retryDelaysMs: [],
    responseTimeoutMs: RESPONSE_TIMEOUT_MS,
  });
  const { apiUrl, botToken, signingSecret } = slack;
  return { apiUrl, botToken, signingSecret };
}

async function deliver(eventIds: string[]): Promise<number> {
  const at = Date.now();
  const attempts = await Promise.all(eventIds.map((id) => started().redeliver(id)));
  const refused = attempts.flat().filter((attempt) => attempt.failure);
  if (refused.length > 0) {
    const told = refused.map(({ failure, ms }) => `${failure} after ${ms} ms`);
    throw new Error(`${refused.length} of ${eventIds.length} events not taken: ${told}`);
  }
  return at;
}

async function shareLarge({ name, bytes }: { name: string; bytes: number }) {
  const at = Date.now();
  const files = [{ name, size: bytes, seed: 1 }];
  const posted = await started().share({ channel: CHANNEL, user: 'ben', files });
  const messages = await started().state(CHANNEL);
  const shared = messages.find((message) => message.ts === posted.ts);
  return { at, url: shared?.files?.[0]?.url_private_download ?? '' };
}

async function untilTold({ shares, withinMs }: { shares: number; withinMs: number }) {
  const told = () => started().calls.filter((call) => call.method === 'chat.postMessage').length;
  const enough = () => told() >= shares;
  const signal = AbortSignal.timeout(withinMs);
  await started()
    .until(enough, signal)
    .catch(() => systemClock.sleep(0));
  return told();
}

async function untilDone({ shares, withinMs }: { shares: number; withinMs: number }) {
  const marks = () =>
    started().calls.filter(
      ({ method, args }) => method === 'reactions.add' && args['name'] === 'white_check_mark',
    );
  await started().until(() => marks().length >= shares, AbortSignal.timeout(withinMs));
  return Math.max(...marks().map(({ at }) => at));
}

serveCalls<SlackCalls>({
  start,
  connectApp: (url) => started().connectApp(url),
  prepareShares: (shares) => prepareShares(started(), CHANNEL, shares),
  prepareEnvelopes: (shares) => prepareEnvelopes(started(), CHANNEL, shares),
  deliver,
  shareLarge,
  beginAsking: asker.begin,
  endAsking: asker.end,
  untilTold,
  untilDone,
});
