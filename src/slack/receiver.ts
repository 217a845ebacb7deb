import { HTTPReceiver, LogLevel, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { Clock, Logger, Random } from '../base/index.ts';
import { admitRequests, type PortListener } from './admit-requests.ts';
import { createBodyReader } from './body-reader.ts';
import { createSocketConnection } from './socket-mode.ts';
import { slackLogger, type WebClientOptions, webClientOptions } from './web-api.ts';

interface ReceiverOptions extends WebClientOptions {
  /** Set: Socket Mode. */
  appToken: string | null;
  signingSecret: string | null;
  clock: Clock;
  random: Random;
  /** The connection came back after it was lost: events may be missing. Only in Socket Mode. */
  onReconnect: () => void;
  /** Called with why a request was refused, in a few words. Only over HTTP. */
  onRefused: (why: string) => void;
}

/** Where Slack's events, commands and interactions come in. */
export interface Inlet {
  receiver: Receiver;
  /** Takes `POST /slack/events`; null in Socket Mode. */
  requestListener: PortListener | null;
  /** Opens the connection of Socket Mode: see createSocketConnection. Nothing to do over HTTP. */
  open(): Promise<void>;
  /** Rejects when that connection is missing; null over HTTP. */
  check: (() => Promise<void>) | null;
  close(): Promise<void>;
}

/** The receiver for HTTP, or for Socket Mode when there is an app-level token. */
export function createReceiver(options: ReceiverOptions): Inlet {
  return options.appToken === null ? httpInlet(options) : socketInlet(options.appToken, options);
}

function httpInlet(options: ReceiverOptions): Inlet {
  const { clock, logger, onRefused } = options;
  const signingSecret = options.signingSecret ?? '';
  const receiver = new HTTPReceiver({
    signingSecret,
    // admitRequests has judged it.
    signatureVerification: false,
    logger: slackLogger(logger),
    logLevel: LogLevel.INFO,
    // What failed is logged where the answer was decided; true ends Bolt's own wait for an answer.
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
    }),
    open: async () => undefined,
    check: null,
    close: async () => undefined,
  };
}

function socketInlet(appToken: string, options: ReceiverOptions): Inlet {
  const receiver = new SocketModeReceiver({
    appToken,
    logger: slackLogger(options.logger),
    logLevel: LogLevel.INFO,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: webClientOptions(options) },
    // What failed is logged where the answer was decided; false: no answer.
    processEventErrorHandler: async () => false,
  });
  leaveUnreadable(receiver.client, options.logger);
  const connection = createSocketConnection({ ...options, client: receiver.client });
  return { receiver, requestListener: null, ...connection };
}

// Of a message that it cannot make sense of, as an event without its inside, Slack's client rejects
// where nobody hears it: that would end the process.
function leaveUnreadable(client: SocketModeReceiver['client'], logger: Logger): void {
  for (const hear of client.listeners('ws_message')) {
    client.off('ws_message', hear);
    client.on('ws_message', (...message: unknown[]) => {
      Promise.resolve(hear(...message)).catch((error: unknown) =>
        logger.warn({ error }, 'A message over Socket Mode could not be read, and is left'),
      );
    });
  }
}
