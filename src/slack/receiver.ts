import { HTTPReceiver, SocketModeReceiver } from '@slack/bolt';
import { backoff, type Clock, inTime, type Logger, type Random } from '../base/index.ts';
import { admitRequests, createBodyReader, type IsFirst } from './admit-requests.ts';
import {
  isRefused,
  SlackCallError,
  slackLogger,
  startProblem,
  toCallError,
  type WebClientOptions,
  webClientOptions,
} from './web-api.ts';

interface ReceiverOptions extends WebClientOptions {
  /** The app-level token; if set, Socket Mode is used. */
  appToken: string | null;
  signingSecret: string | null;
  clock: Clock;
  random: Random;
  /**
   * Called when there is a connection again, or the first one after `open`: events may be missing.
   * Gets how long there was none, in milliseconds. Only in Socket Mode.
   */
  onReconnect: (missingMs: number) => void;
  /** Called for each refused request with the reason, in a few words. Only over HTTP. */
  onRefused: (why: string) => void;
  /** See admitRequests. Only over HTTP. */
  isFirst: IsFirst;
}

/**
 * Creates the receiver of Slack's requests: in Socket Mode, with its `connection`, if there is an
 * app-level token; else over HTTP, with the `requestListener` of `POST /slack/events`.
 */
export function createReceiver(options: ReceiverOptions) {
  return options.appToken === null ? httpInlet(options) : socketInlet(options.appToken, options);
}

function httpInlet(options: ReceiverOptions) {
  const { clock, logger, onRefused, isFirst } = options;
  const signingSecret = options.signingSecret ?? '';
  const receiver = new HTTPReceiver({
    signingSecret,
    // admitRequests has verified it.
    signatureVerification: false,
    logger: slackLogger(logger),
    // The error was logged where the response was decided; true ends Bolt's own wait for one.
    processEventErrorHandler: async ({ response }) => {
      if (!response.headersSent) response.writeHead(500).end();
      return true;
    },
    unhandledRequestHandler: ({ response }) => {
      if (response.headersSent) return;
      logger.warn(
        'A request of Slack was not answered within 3 seconds; it delivers an event again',
      );
      response.writeHead(503).end();
    },
  });
  return {
    receiver,
    requestListener: admitRequests({
      receiver: receiver.requestListener,
      signingSecret,
      bodies: createBodyReader(clock),
      clock,
      onRefused,
      isFirst,
    }),
    connection: null,
  };
}

function socketInlet(appToken: string, options: ReceiverOptions) {
  if (options.signingSecret !== null)
    options.logger.info(
      'SLACK_SIGNING_SECRET is not used: SLACK_APP_TOKEN is set, so Slack is connected by Socket Mode',
    );
  const receiver = new SocketModeReceiver({
    appToken,
    logger: slackLogger(options.logger),
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: webClientOptions(options) },
    // The error was logged where the response was decided; false: no acknowledgement.
    processEventErrorHandler: async () => false,
  });
  ignoreUnreadable(receiver.client, options.logger);
  const connection = createSocketConnection({ ...options, client: receiver.client });
  return { receiver, requestListener: null, connection };
}

// For a frame that it cannot read, such as an event without a payload, Slack's client rejects a promise
// that nobody handles, which would end the process.
function ignoreUnreadable(client: SocketModeReceiver['client'], logger: Logger): void {
  for (const hear of client.listeners('ws_message')) {
    client.off('ws_message', hear);
    client.on('ws_message', (...message: unknown[]) => {
      Promise.resolve(hear(...message)).catch((error: unknown) =>
        logger.warn({ error }, 'A message over Socket Mode could not be read, and is left'),
      );
    });
  }
}

/** Slack's Socket Mode client, set up not to reconnect by itself. */
interface SocketClient {
  /** Resolves at Slack's hello; rejects if there is no connection, or it ends before that. */
  start(): Promise<unknown>;
  /** Ends an open or opening connection. */
  disconnect(): Promise<void>;
  on(event: 'disconnected', listener: () => void): unknown;
}

interface SocketConnectionOptions
  extends Pick<ReceiverOptions, 'clock' | 'random' | 'logger' | 'onReconnect'> {
  client: SocketClient;
}

/** Slack renews connections every few hours; that is not an error. */
const RENEWAL_MS = 10_000;
const TRY_WITHIN_MS = 30_000;
/** A connection that ends sooner counts as a failed attempt to connect. */
const LASTING_MS = 60_000;
/** The waits between attempts: under a second at first, at most 30 s. */
const WAITS = { firstMs: 600, longestMs: 20_000 };

/** The Socket Mode connection to Slack, which reconnects until it is closed. */
export function createSocketConnection(options: SocketConnectionOptions) {
  const { client, clock, random, logger, onReconnect } = options;
  const closed = new AbortController();
  const { signal } = closed;
  /** Since when there has been no connection; null while there is one. */
  let missingSince: number | null = 0;
  /** How long there was none before the last one. */
  let missingMs = 0;
  let ended = Promise.withResolvers<void>();
  client.on('disconnected', () => {
    missingSince ??= clock.now();
    ended.resolve();
  });

  /** Resolves with what went wrong; null: connected. */
  async function connect(): Promise<SlackCallError | null> {
    ended = Promise.withResolvers();
    const opening = client.start().then(
      () => {
        missingMs = clock.now() - (missingSince ?? clock.now());
        missingSince = null;
        return null;
      },
      (error: unknown) => toCallError('apps.connections.open', error),
    );
    const outcome = await inTime(opening, { clock, ms: TRY_WITHIN_MS, late: 'late' });
    // Its opening then rejects, unless it has just succeeded.
    if (outcome === 'late') await client.disconnect();
    const problem = await opening;
    if (!problem && signal.aborted) await client.disconnect();
    return problem;
  }

  /** Resolves when the connection has ended; with an error if it ended too soon. */
  async function endOfConnection(): Promise<SlackCallError | null> {
    const since = clock.now();
    await ended.promise;
    if (clock.now() - since >= LASTING_MS) return null;
    return new SlackCallError('SLACK_UNREACHABLE', 'the connection broke soon after it began');
  }

  async function pause(problem: SlackCallError, failures: number): Promise<void> {
    const fraction = random.fraction();
    const againInMs = backoff(failures, { ...WAITS, fraction, atLeastMs: problem.retryAfterMs });
    const what = isRefused(problem)
      ? 'Slack refuses a connection, and is asked again: check SLACK_APP_TOKEN and that Socket Mode is on'
      : 'There is no connection to Slack, and it is tried again';
    logger.warn({ error: problem, againInMs }, what);
    await clock.sleep(againInMs, signal).catch(() => undefined);
  }

  async function keep(first: SlackCallError | null): Promise<void> {
    let problem = first;
    for (let failures = 0; ; ) {
      problem ??= await endOfConnection();
      failures = problem ? failures + 1 : 0;
      if (problem && !signal.aborted) await pause(problem, failures);
      if (signal.aborted) return;
      problem = await connect();
      if (problem || signal.aborted) continue;
      if (failures > 0) logger.info({ missingMs }, 'There is a connection to Slack again');
      onReconnect(missingMs);
    }
  }

  return {
    /**
     * Resolves after the first attempt, connected or not: history can be read without a connection.
     * Rejects with CONFIG_INVALID if Slack refuses the token.
     */
    open: async (): Promise<void> => {
      const problem = await connect();
      if (isRefused(problem)) throw startProblem('SLACK_APP_TOKEN', problem);
      void keep(problem);
    },
    /** Rejects with SLACK_UNREACHABLE if there has been no connection for ten seconds. */
    check: async (): Promise<void> => {
      if (missingSince !== null && clock.now() - missingSince >= RENEWAL_MS)
        throw new SlackCallError('SLACK_UNREACHABLE', 'Socket Mode has no connection to Slack');
    },
    close: async (): Promise<void> => {
      closed.abort(new Error('closed'));
      await client.disconnect();
    },
  };
}
