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
  /** Shares files while the app is not connected; answers the events that it has not had. */
  prepareShares(shares: PreparedShares): Promise<string[]>;
  /** As `prepareShares`, but answers the requests' bodies, for a sender of one's own. */
  prepareEnvelopes(shares: PreparedShares): Promise<string[]>;
  /** Brings all events to the app at once; answers when the first left, in epoch milliseconds. */
  deliver(eventIds: string[]): Promise<number>;
  /** Shares a file of so many bytes, made as it is read; answers when, in epoch milliseconds. */
  shareLarge(file: { name: string; bytes: number }): Promise<{ at: number; url: string }>;
  /** A person types `/files` every so often, answered or not. */
  beginAsking(options: { everyMs: number }): void;
  /** Milliseconds from each command to its answer; waits for those that are missing. */
  endAsking(options: { withinMs: number }): Promise<number[]>;
  /** Resolves when so many messages of the channel carry an answer of the app's in their thread. */
  untilTold(goal: { shares: number; withinMs: number }): Promise<number>;
  /** Resolves when the app has said of so many messages that all is filed, with when it last did. */
  untilDone(goal: { shares: number; withinMs: number }): Promise<number>;
}

const CHANNEL = 'general';
/** Longer than Slack's: many processes begin at once, and a late answer is a figure, not an end. */
const PATIENCE_MS = 30_000;

let slack: EmbeddedSlack | null = null;

function started(): EmbeddedSlack {
  if (!slack) throw new Error('Slack has not been started');
  return slack;
}

const asker = createAsker(started, CHANNEL);

async function start(dataDir: string): Promise<SlackAddress> {
  slack = await startEmbeddedSlack({ dataDir, retryDelaysMs: [], patienceMs: PATIENCE_MS });
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
  const posted = await started().shareVirtual({ channel: CHANNEL, user: 'ben', name, size: bytes });
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
