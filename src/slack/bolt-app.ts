import { App, LogLevel, type Receiver } from '@slack/bolt';
import type { ReceiverEvent } from '@slack/bolt/dist/types/receiver.js';
import type { Inlet } from './receiver.ts';
import { slackLogger, type WebClientOptions, webClientOptions } from './web-api.ts';
import type { Identity } from './workspace.ts';

interface BoltAppOptions extends WebClientOptions {
  inlet: Inlet;
  identity: Identity;
  botToken: string;
  /** When events are answered; `before` is what Bolt does by itself. */
  acknowledge: 'after' | 'before';
  /** Whether what a listener threw means that Slack must deliver the event again. */
  mustRedeliver: (error: unknown) => boolean;
  /** Told of each request that listeners have begun with: it resolves when they have ended. */
  inHand: (work: Promise<unknown>) => void;
}

const OTHER_APP =
  'Slack’s requests are for another app than the one that SLACK_BOT_TOKEN belongs to, and are ignored. Take SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) from the bot token’s app';

/**
 * The Bolt app behind an inlet, without listeners yet; the caller calls `init`. What is for another
 * installation is answered, and reaches no listener.
 */
export function createBoltApp(options: BoltAppOptions): App {
  const { inlet, identity, logger } = options;
  const bolt = new App({
    receiver:
      options.acknowledge === 'before' ? inlet.receiver : acknowledgeAfter(inlet.receiver, options),
    token: options.botToken,
    botUserId: identity.botUserId,
    ...(identity.botId ? { botId: identity.botId } : {}),
    // What auth.test would say is known; without a bot's identifier Bolt would ask at each event.
    tokenVerificationEnabled: identity.botId === undefined,
    deferInitialization: true,
    // Nothing here is a conversation, and looking for one costs every event a rejected promise.
    convoStore: false,
    logger: slackLogger(logger),
    logLevel: LogLevel.INFO,
    clientOptions: webClientOptions(options),
  });
  let isOtherTold = false;
  bolt.use(async ({ body, next }) => {
    if (isForInstallation({ ...body }, identity)) return next();
    const app = otherAppOf({ ...body }, identity);
    if (app === undefined || isOtherTold)
      return logger.debug('A request for another installation is left alone');
    isOtherTold = true;
    logger.warn({ app, ours: identity.appId }, OTHER_APP);
  });
  // Logged once, where the answer to Slack is decided.
  bolt.error(async (error) => {
    throw error;
  });
  return bolt;
}

type AcknowledgeOptions = Pick<BoltAppOptions, 'mustRedeliver' | 'inHand' | 'logger'>;

/**
 * Makes a receiver, HTTP's or Socket Mode's, answer events only after their listeners have ended:
 * Bolt itself answers an event before any listener has seen it. When a listener fails with
 * something that must be delivered again, that is logged, and there is no answer (over HTTP a
 * 500). Everything else that is validly signed is answered, with or without a listener: Slack
 * switches off an app that leaves most of its deliveries unanswered
 * (https://docs.slack.dev/apis/events-api/).
 *
 * Commands and interactions acknowledge themselves, as early as they like.
 */
export function acknowledgeAfter(receiver: Receiver, options: AcknowledgeOptions): Receiver {
  return {
    init: (app) => {
      const processEvent = (event: ReceiverEvent) => process(app, event, options);
      receiver.init(Object.create(app, { processEvent: { value: processEvent } }));
    },
    start: (...args) => receiver.start(...args),
    stop: (...args) => receiver.stop(...args),
  };
}

async function process(app: App, event: ReceiverEvent, options: AcknowledgeOptions) {
  // Slack's bodies are objects; what else is signed has nothing to be done about.
  if (!isObject(event.body)) return event.ack();
  const isEvent = event.body['type'] === 'event_callback';
  let acknowledged = false;
  const ack: ReceiverEvent['ack'] = async (response) => {
    if (isEvent || acknowledged) return;
    acknowledged = true;
    await event.ack(response);
  };
  try {
    const listened = app.processEvent({ ...event, ack });
    // What is acknowledged early goes on after its request: a stop lets it end all the same.
    options.inHand(listened.catch(() => undefined));
    await listened;
  } catch (error) {
    const reason = isEvent ? originals(error).find(options.mustRedeliver) : undefined;
    if (reason !== undefined) {
      options.logger.error({ error: reason }, 'An event is not recorded; Slack delivers it again');
      throw error;
    }
    options.logger.error({ error }, 'A listener failed');
  }
  if (!acknowledged) await event.ack();
}

// Bolt wraps what its listeners throw, once or twice.
function originals(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [error];
  const wrapped = 'originals' in error && Array.isArray(error.originals) ? error.originals : [];
  const inner = 'original' in error ? [error.original] : [];
  return [error, ...[...wrapped, ...inner].flatMap(originals)];
}

/** What Slack sends: the body of an event, a command or an interaction, unchecked. */
type Body = Readonly<Record<string, unknown>>;

/**
 * Whether a body that Slack has signed is for this installation: the same app installed in another
 * workspace signs with the same secret. For an event the receiving workspaces
 * decide (https://docs.slack.dev/apis/events-api/): in a channel that is shared with another
 * workspace, and in an organisation, `team_id` is the writer's. An interaction is ours as well when
 * its message is our bot's, as somebody of another workspace may press a button in a shared channel.
 */
export function isForInstallation(body: Body, identity: Identity): boolean {
  if (otherAppOf(body, identity) !== undefined) return false;
  if (textAt(body, 'message', 'user') === identity.botUserId) return true;
  const authorizations = Object.values(body['authorizations'] ?? []);
  const receivers = [
    textAt(body, 'context_team_id'),
    ...authorizations.map((one) => textAt(one, 'team_id')),
  ].filter((team) => team !== undefined);
  const named = TEAMS.map((path) => textAt(body, ...path)).filter((team) => team !== undefined);
  const teams = receivers.length > 0 ? receivers : named;
  return teams.length === 0 || teams.includes(identity.team);
}

/** Which other app a body is for; undefined where it is for ours, or does not say. */
function otherAppOf(body: Body, { appId }: Identity): string | undefined {
  const app = textAt(body, 'api_app_id');
  return appId === undefined || app === appId ? undefined : app;
}

const TEAMS = [['team_id'], ['team', 'id'], ['user', 'team_id'], ['view', 'app_installed_team_id']];

/** The text that is found under these keys, one within the other; undefined when there is none. */
function textAt(value: unknown, ...path: string[]): string | undefined {
  let at = value;
  for (const key of path) at = isObject(at) ? at[key] : undefined;
  return typeof at === 'string' && at !== '' ? at : undefined;
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null;
}
