import {
  type EmbeddedSlack,
  startEmbeddedSlack,
} from '../../../src/playground/embedded-slack/index.ts';
import { serveCalls } from './rpc.ts';
import {
  CHANNEL,
  type PreparedShares,
  type StopAsking,
  shareFiles,
  shareUnsent,
  startAsking,
} from './slack-workload.ts';

/**
 * Longer than Slack's: many processes start at once, and a late response must become a figure, not
 * end the run.
 */
const RESPONSE_TIMEOUT_MS = 30_000;

let slack: EmbeddedSlack | null = null;
let stopAsking: StopAsking = async () => [];

function started(): EmbeddedSlack {
  if (!slack) throw new Error('Slack has not been started');
  return slack;
}

interface Goal {
  shares: number;
  withinMs: number;
}

const calls = {
  start: async (dataDir: string) => {
    slack = await startEmbeddedSlack({
      dataDir,
      retryDelaysMs: [],
      responseTimeoutMs: RESPONSE_TIMEOUT_MS,
    });
    const { apiUrl, botToken, signingSecret } = slack;
    return { apiUrl, botToken, signingSecret };
  },
  connectApp: (url: string) => started().connectApp(url),
  /**
   * Shares files while the app is not connected; returns the identifiers of the undelivered events.
   */
  prepareShares: async (shares: PreparedShares) => {
    const posted = await shareFiles(started(), shares);
    return posted.flatMap(({ deliveries }) => deliveries.map(({ eventId }) => eventId));
  },
  /** As `prepareShares`, but returns the requests' bodies, for a bench that sends them itself. */
  prepareEnvelopes: (shares: PreparedShares) => shareUnsent(started(), shares),
  /**
   * Delivers all events to the app at once; returns when the first was sent, in epoch milliseconds.
   */
  deliver: async (eventIds: string[]) => {
    const at = Date.now();
    const attempts = await Promise.all(eventIds.map((id) => started().redeliver(id)));
    const refused = attempts.flat().filter((attempt) => attempt.failure);
    if (refused.length > 0) {
      const reasons = refused.map(({ failure, ms }) => `${failure} after ${ms} ms`);
      throw new Error(`${refused.length} of ${eventIds.length} events not taken: ${reasons}`);
    }
    return at;
  },
  /**
   * Shares a file of this many bytes, generated as it is read; returns when, in epoch milliseconds.
   */
  shareLarge: async ({ name, bytes }: { name: string; bytes: number }) => {
    const at = Date.now();
    const files = [{ name, size: bytes, seed: 1 }];
    const { ts } = await started().share({ channel: CHANNEL, user: 'ben', files });
    const shared = (await started().state(CHANNEL)).find((message) => message.ts === ts);
    return { at, url: shared?.files?.[0]?.url_private_download ?? '' };
  },
  startAsking: ({ everyMs }: { everyMs: number }) => {
    stopAsking = startAsking(started(), everyMs);
  },
  stopAsking: (options: Parameters<StopAsking>[0]) => stopAsking(options),
  /** Resolves with how many replies the app has posted, once there is one for each share. */
  untilReplied: async ({ shares, withinMs }: Goal) => {
    const replies = () =>
      started().calls.filter(({ method }) => method === 'chat.postMessage').length;
    await started()
      .until(() => replies() >= shares, AbortSignal.timeout(withinMs))
      .catch(() => undefined);
    return replies();
  },
  /**
   * Resolves when the app has marked this many messages as filed, with the time of the last mark.
   */
  untilMarked: async ({ shares, withinMs }: Goal) => {
    const marks = () =>
      started().calls.filter(
        ({ method, args }) => method === 'reactions.add' && args['name'] === 'white_check_mark',
      );
    await started().until(() => marks().length >= shares, AbortSignal.timeout(withinMs));
    return Math.max(...marks().map(({ at }) => at));
  },
};

export type SlackCalls = typeof calls;

serveCalls(calls);
