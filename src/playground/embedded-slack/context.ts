import { type Clock, type Random, systemClock, systemRandom } from '../../base/index.ts';
import {
  type AppConnection,
  createHttpConnection,
  type HttpConnection,
} from './app-connection/app-connection.ts';
import { createEventsApi, type EventsApi } from './app-connection/events-api.ts';
import { createSocketModeServer, type SocketModeServer } from './app-connection/socket-mode.ts';
import { type Changes, createChanges } from './changes.ts';
import { createDirectory, type Directory } from './directory.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { createFileStore, type FileStore } from './files/file-store.ts';
import { createMessages, type Messages } from './messages.ts';
import type { Ephemeral } from './slack-types.ts';
import { createViews, type Views } from './views.ts';

/** The secrets that the app and this Slack share. */
export interface Keys {
  botToken: string;
  /** For Socket Mode. */
  appToken: string;
  signingSecret: string;
}

export interface ContextOptions {
  /** A directory for the files' bytes; they need not outlive the process. */
  dataDir: string;
  /** Also timestamps signatures, so it must be close to the app's clock. Default: the system's. */
  clock?: Clock;
  random?: Random;
  /** Default: random at each start, so that only the app can know them. */
  keys?: Partial<Keys>;
  /** Waits before an event's retries, in ms. Default 0, 250, 1,000; Slack: 0, 60,000, 300,000. */
  retryDelaysMs?: readonly number[];
  /** How long the app may take to respond, in milliseconds. Default 3,000, as in Slack. */
  responseTimeoutMs?: number;
  /** The origins of files' addresses, and of signed ones. Default: this Slack's own. */
  hosts?: { files: string; signed: string };
  /**
   * Event types that the app gets. Default: the manifest's, plus leaving, uninstalling, and links to
   * the `unfurlDomains`.
   */
  subscriptions?: readonly string[];
  /** Domains whose addresses the app unfurls, with their subdomains. Default: none. */
  unfurlDomains?: readonly string[];
}

const RESPONSE_TIMEOUT_MS = 3_000;
const RETRY_DELAYS_MS = [0, 250, 1_000];
const SUBSCRIPTIONS = [
  'message',
  'app_home_opened',
  'app_uninstalled',
  'tokens_revoked',
  'file_deleted',
  'channel_id_changed',
  'member_joined_channel',
  'member_left_channel',
  'channel_left',
  'group_left',
  'link_shared',
];

/** What all parts of this Slack share: its stored state and its connection to the app. */
export interface SlackContext {
  clock: Clock;
  random: Random;
  keys: Keys;
  /** Aborted when this Slack stops. */
  stopped: AbortSignal;
  origin: string;
  signedOrigin: string;
  emulator: Emulator;
  directory: Directory;
  files: FileStore;
  messages: Messages;
  ephemerals: Set<Ephemeral>;
  views: Views;
  changes: Changes;
  http: HttpConnection;
  socketMode: SocketModeServer;
  /** Uses the app's socket if it has one open, as Slack does, else HTTP. */
  app: AppConnection;
  events: EventsApi;
  unfurlDomains: readonly string[];
}

export async function createContext(
  options: ContextOptions,
  { origin, stopped }: { origin: string; stopped: AbortSignal },
): Promise<SlackContext> {
  const { clock = systemClock, random = systemRandom } = options;
  const { retryDelaysMs = RETRY_DELAYS_MS, subscriptions = SUBSCRIPTIONS } = options;
  const { responseTimeoutMs = RESPONSE_TIMEOUT_MS } = options;
  const keys = {
    botToken: `xoxb-embedded-${random.id()}`,
    appToken: `xapp-1-embedded-${random.id()}`,
    signingSecret: random.id(),
    ...options.keys,
  };
  const emulator = await startEmulator();
  const directory = await createDirectory(emulator, keys.botToken);
  const { hosts = { files: origin, signed: origin } } = options;
  const files = createFileStore(options.dataDir, hosts.files);
  const changes = createChanges(stopped);
  const timing = { clock, responseTimeoutMs, stopped };
  const http = createHttpConnection({ ...timing, signingSecret: keys.signingSecret });
  const onConnection = () => changes.notify('connection');
  const socketMode = createSocketModeServer({ ...timing, random, origin, onConnection });
  const app: AppConnection = {
    send: (request) => (socketMode.connections() > 0 ? socketMode : http).send(request),
  };
  const basics = { clock, random, stopped, emulator, directory, files, changes };
  return {
    ...basics,
    keys,
    origin,
    signedOrigin: hosts.signed,
    messages: createMessages(basics),
    ephemerals: new Set(),
    views: createViews(basics),
    http,
    socketMode,
    app,
    events: createEventsApi({ ...basics, app, retryDelaysMs, subscriptions }),
    unfurlDomains: options.unfurlDomains ?? [],
  };
}
