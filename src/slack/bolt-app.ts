import { type AnyMiddlewareArgs, App, type Receiver } from '@slack/bolt';
import type { ReceiverEvent } from '@slack/bolt/dist/types/receiver.js';
import type { Identity } from './objects.ts';
import { slackLogger, type WebClientOptions, webClientOptions } from './web-api.ts';

interface BoltAppOptions extends WebClientOptions {
  receiver: Receiver;
  identity: Identity;
  botToken: string;
  /** The app-level token; null over HTTP. */
  appToken: string | null;
  /** When events are acknowledged; `before` their listeners run is Bolt's own behaviour. */
  acknowledge: 'after' | 'before';
  /** Whether Slack must deliver the event again after this error of a listener. */
  mustRedeliver: (error: unknown) => boolean;
  /** Called after such an error: Slack gives up after a few deliveries. */
  onUnrecorded: () => void;
  /** Called with a promise for each request; it resolves when the request's listeners have ended. */
  inHand: (request: Promise<unknown>) => void;
}

const OTHER_APP =
  'Slack’s requests are for another app than the one that SLACK_BOT_TOKEN belongs to, and are ignored. Take SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) from the bot token’s app';

/**
 * Creates the Bolt app behind a receiver, without listeners. Requests for another installation are
 * acknowledged and reach no listener; what a person typed reaches them cut to 3,000 characters.
 */
export function createBoltApp(options: BoltAppOptions): App {
  const { receiver, identity, botToken, logger } = options;
  const { botUserId, botId } = identity;
  const bolt = new App({
    receiver,
    // With a token instead, Bolt would call auth.test, which was called before. Bolt adds who asks, so
    // each request needs an object of its own.
    authorize: async () => ({ botToken, botUserId, ...(botId && { botId }) }),
    // No conversation state is used, and looking for it would cost each event a rejected promise.
    convoStore: false,
    logger: slackLogger(logger),
    clientOptions: webClientOptions(options),
  });
  if (options.acknowledge === 'after') acknowledgeAfter(bolt, options);
  let hasWarned = false;
  const warnOfOther = (app: string | undefined) => {
    if (app === undefined || hasWarned) return;
    hasWarned = true;
    logger.warn({ app, ours: identity.appId }, OTHER_APP);
  };
  // Another app may get no requests at all: then only its token shows the mistake.
  warnOfOther(otherAppOf({ api_app_id: appOfToken(options.appToken) }, identity));
  bolt.use(async ({ body, next }) => {
    if (isForInstallation({ ...body }, identity)) {
      boundTypedText(body);
      return next();
    }
    logger.debug('A request for another installation is left alone');
    warnOfOther(otherAppOf({ ...body }, identity));
  });
  // The error is logged once, where the response to Slack is decided.
  bolt.error(async (error) => {
    throw error;
  });
  return bolt;
}

/**
 * The most characters of a text that a person types: a field of Slack's holds no more
 * (https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element), a command
 * far more.
 */
const MAX_TYPED_LENGTH = 3_000;

/**
 * Cuts what a person typed to 3,000 characters, the last of them `…`: the text of a command, its
 * entities decoded, that in a search field, and those in the fields of a form. Changes the body
 * itself, because Bolt has already taken from it what its listeners get.
 */
function boundTypedText(body: AnyMiddlewareArgs['body']): void {
  if ('text' in body) body.text = bounded(decodeEntities(body.text));
  if ('value' in body) body.value = bounded(body.value);
  const blocks = 'view' in body ? objectsIn(body.view?.state?.values) : [];
  for (const field of blocks.flatMap(objectsIn))
    if (field.value) field.value = bounded(field.value);
}

function objectsIn(value: unknown): { value?: unknown }[] {
  return isObject(value) ? Object.values(value).filter(isObject) : [];
}

function bounded<T>(typed: T): T | string {
  if (typeof typed !== 'string' || typed.length <= MAX_TYPED_LENGTH) return typed;
  // Spaces at the end would be removed, and the text would pass for one that was typed so.
  return `${typed.slice(0, MAX_TYPED_LENGTH - 1)}…`;
}

// Slack may send `&`, `<` and `>` in a command as entities.
function decodeEntities<T>(typed: T): T | string {
  if (typeof typed !== 'string') return typed;
  return typed.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

type AcknowledgeOptions = Pick<
  BoltAppOptions,
  'mustRedeliver' | 'onUnrecorded' | 'inHand' | 'logger'
>;

/**
 * Makes a Bolt app acknowledge events only after their listeners have ended, over HTTP and Socket
 * Mode; Bolt itself acknowledges an event before any listener has seen it. If a listener fails with
 * an error after which Slack must deliver the event again, the error is logged and the event is not
 * acknowledged (over HTTP the response is 500). Every other validly signed request is acknowledged,
 * with or without a listener: Slack switches off an app that leaves most deliveries unanswered
 * (https://docs.slack.dev/apis/events-api/).
 *
 * Listeners of commands and interactions acknowledge those themselves, as early as they like.
 */
export function acknowledgeAfter(bolt: App, options: AcknowledgeOptions): void {
  const processEvent = bolt.processEvent.bind(bolt);
  bolt.processEvent = (event) => acknowledgeOnce(event, processEvent, options);
}

async function acknowledgeOnce(
  event: ReceiverEvent,
  processEvent: App['processEvent'],
  options: AcknowledgeOptions,
): Promise<void> {
  // Slack's bodies are objects; a signed body of another kind needs no action.
  if (!isObject(event.body)) return event.ack();
  const isEvent = event.body['type'] === 'event_callback';
  let acknowledged = false;
  const ack: ReceiverEvent['ack'] = async (response) => {
    if (isEvent || acknowledged) return;
    acknowledged = true;
    await event.ack(response);
  };
  try {
    const listened = processEvent({ ...event, ack });
    // A listener that acknowledges early runs on after its request; a shutdown waits for it too.
    options.inHand(listened.catch(() => undefined));
    await listened;
  } catch (error) {
    const reason = isEvent ? originals(error).find(options.mustRedeliver) : undefined;
    if (reason !== undefined) {
      options.logger.error({ error: reason }, 'An event is not recorded; Slack delivers it again');
      options.onUnrecorded();
      throw error;
    }
    options.logger.error({ error }, 'A listener failed');
  }
  if (!acknowledged) await event.ack();
}

// Bolt wraps the errors of listeners, once or twice.
function originals(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [error];
  const wrapped = 'originals' in error && Array.isArray(error.originals) ? error.originals : [];
  const inner = 'original' in error ? [error.original] : [];
  return [error, ...[...wrapped, ...inner].flatMap(originals)];
}

/** The body of an event, a command or an interaction, as Slack sends it, unchecked. */
type Body = Readonly<Record<string, unknown>>;

/**
 * Whether a signed body is for this installation: Slack signs with the same secret for the same app
 * in another workspace. For an event, the receiving workspaces decide
 * (https://docs.slack.dev/apis/events-api/): in a shared channel, and in an organisation, `team_id`
 * is the writer's workspace. An interaction is also ours if our bot posted its message, because
 * somebody from another workspace may press a button in a shared channel.
 */
export function isForInstallation(body: Body, identity: Identity): boolean {
  if (otherAppOf(body, identity) !== undefined) return false;
  if (textAt(body, 'message', 'user') === identity.botUserId) return true;
  const authorizations = Object.values(body['authorizations'] ?? []);
  const authorized = authorizations.map((one) => textAt(one, 'team_id'));
  const receivers = [textAt(body, 'context_team_id'), ...authorized].flatMap((team) => team ?? []);
  const named = TEAMS.flatMap((path) => textAt(body, ...path) ?? []);
  const teams = receivers.length > 0 ? receivers : named;
  return teams.length === 0 || teams.includes(identity.team);
}

/** Returns the ID of another app that a body is for; undefined if it is for ours or names none. */
function otherAppOf(body: Body, { appId }: Identity): string | undefined {
  const app = textAt(body, 'api_app_id');
  return appId === undefined || app === appId ? undefined : app;
}

/** Returns the ID of the app in an app-level token; undefined if the token shows none. */
function appOfToken(token: string | null): string | undefined {
  return /^xapp-\d+-(A[A-Z0-9]{8,})-/.exec(token ?? '')?.[1];
}

const TEAMS = [['team_id'], ['team', 'id'], ['user', 'team_id'], ['view', 'app_installed_team_id']];

/** Returns the text at a path of nested keys; undefined if there is none. */
function textAt(value: unknown, ...path: string[]): string | undefined {
  let at = value;
  for (const key of path) at = isObject(at) ? at[key] : undefined;
  return typeof at === 'string' && at !== '' ? at : undefined;
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null;
}
