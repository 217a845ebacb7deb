import { App, LogLevel } from '@slack/bolt';
import type { Logger } from '../base/index.ts';
import { acknowledgeAfter } from './acknowledge-after.ts';
import type { Inlet } from './create-receiver.ts';
import { isForInstallation } from './is-for-installation.ts';
import { slackLogger } from './slack-logger.ts';
import { webClientOptions } from './web-client-options.ts';
import type { Identity } from './workspace.ts';

export interface BoltAppOptions {
  inlet: Inlet;
  identity: Identity;
  botToken: string;
  slackApiUrl: string;
  /** When events are answered; `before` is what Bolt does by itself. */
  acknowledge: 'after' | 'before';
  /** Whether what a listener threw means that Slack must deliver the event again. */
  mustRedeliver: (error: unknown) => boolean;
  logger: Logger;
  /** What carries calls and answers to Slack. Default: the machine's network. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * The Bolt app behind an inlet, without listeners yet; `init` is the caller's to call. What is for
 * another installation is answered, and reaches no listener.
 */
export function createBoltApp(options: BoltAppOptions): App {
  const { identity, logger } = options;
  const bolt = new App({
    receiver: receiverOf(options),
    token: options.botToken,
    botUserId: identity.botUserId,
    ...(identity.botId ? { botId: identity.botId } : {}),
    deferInitialization: true,
    logger: slackLogger(logger),
    logLevel: LogLevel.INFO,
    clientOptions: webClientOptions(options.slackApiUrl, logger, options.fetch),
  });
  bolt.use(async ({ body, next }) => {
    if (isForInstallation({ ...body }, identity)) await next();
    else logger.debug('A request for another installation is left alone');
  });
  // Logged once, where the answer to Slack is decided.
  bolt.error(async (error) => {
    throw error;
  });
  return bolt;
}

function receiverOf({ inlet, acknowledge, mustRedeliver, logger }: BoltAppOptions) {
  if (acknowledge === 'before') return inlet.receiver;
  return acknowledgeAfter(inlet.receiver, { mustRedeliver, logger });
}
