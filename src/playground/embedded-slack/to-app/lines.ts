import type { Ground } from '../ground.ts';
import type { EmbeddedSlackOptions } from '../options.ts';
import { type AppLine, chooseLine } from './app-line.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createEvents, type Events } from './events.ts';
import { createHttpLine, type HttpLine } from './http-line.ts';
import { createSocketModeServer, type SocketModeServer } from './socket-mode-server.ts';

const PATIENCE_MS = 3_000;
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
];

/** The connections to the app and the deliveries over them. */
export interface Lines {
  http: HttpLine;
  socketMode: SocketModeServer;
  /** Uses the socket if the app has one open, else HTTP. */
  line: AppLine;
  deliveries: Deliveries;
  events: Events;
}

export function createLines(ground: Ground, options: EmbeddedSlackOptions): Lines {
  const { clock, random, stopped, directory, changes } = ground;
  const { signingSecret } = ground.keys;
  const patienceMs = options.patienceMs ?? PATIENCE_MS;
  const http = createHttpLine({ clock, signingSecret, patienceMs, stopped });
  if (options.appUrl) http.connect(options.appUrl);
  const onConnection = () => changes.tell({ what: 'connection' });
  const socketMode = createSocketModeServer({ clock, random, patienceMs, stopped, onConnection });
  const line = chooseLine(socketMode, http);
  const retryDelaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS;
  const deliveries = createDeliveries({ clock, line, retryDelaysMs, stopped });
  const subscriptions = new Set(options.subscriptions ?? SUBSCRIPTIONS);
  const events = createEvents({ clock, random, directory, deliveries, changes, subscriptions });
  return { http, socketMode, line, deliveries, events };
}
