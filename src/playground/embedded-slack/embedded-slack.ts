import type { Change, Truthy } from './changes.ts';
import type { ShownMessage } from './channel-state.ts';
import type { Ephemeral } from './ephemerals.ts';
import type { FileOddity } from './files/file-oddity.ts';
import type { Ids } from './ids.ts';
import type { CommandRequest } from './interactions/commands.ts';
import type { Interactions, Reaction } from './interactions/interactions.ts';
import type { Submissions } from './interactions/submissions.ts';
import type { PersonActions, Posted, Sending } from './person-actions.ts';
import type { Json, SlackAnswer, SlackView } from './slack-shapes.ts';
import type { Attempt, Outgoing } from './to-app/app-line.ts';
import type { Delivery } from './to-app/deliveries.ts';
import type { EventOptions } from './to-app/events.ts';
import type { Forgery } from './to-app/forgeries.ts';
import type { SocketModeServer } from './to-app/socket-mode-server.ts';
import type { Faults } from './web-api/faults.ts';
import type { SlackCall } from './web-api/web-api.ts';

/** A share of one file whose bytes are generated during the download. */
interface VirtualShare extends Sending {
  channel: string;
  user: string;
  name: string;
  /** Bytes. */
  size: number;
  seed?: number;
  mimetype?: string;
}

/** Actions of people and of Slack itself. */
export interface Doings extends PersonActions, Interactions, Submissions {
  shareVirtual(share: VirtualShare): Promise<Posted>;
  command(request: CommandRequest): Promise<Reaction>;
  /** Calls a Web API method as a person: `chat.update`, `chat.delete`, `files.delete`… */
  as(user: string, method: string, args: Json): Promise<SlackAnswer>;
  /** Sends the event to the app once more, under the same `event_id`. */
  redeliver(eventId: string): Promise<Delivery[]>;
  /** Sends an event if the app is subscribed to its type. */
  sendEvent(event: Json, options?: EventOptions & { times?: number }): Promise<Delivery[]>;
  forge(kind: Forgery, payload: object): Promise<Attempt>;
  /** Sends a payload as Slack does: through the app's socket, else over signed HTTP. */
  sendRaw(message: Outgoing): Promise<Attempt>;
}

/** Settings that can change while this Slack runs. */
export interface Settings {
  /** Where the app listens; a bare origin means its `/slack/events`. */
  connectApp(url: string): void;
  /** Whether the app gets events that it caused itself, as in Slack; default on. */
  setOwnMessages(on: boolean): void;
  /** Whether downloads redirect to a second address that also needs the token; default off. */
  setDownloadRedirects(on: boolean): void;
  setFileOddity(fileId: string, oddity: FileOddity): void;
  /** Overrides fields of `conversations.info`, such as `is_ext_shared`. */
  setChannel(channel: string, extras: Json): void;
  /** Overrides fields of `users.info`, such as `is_admin`. */
  setUser(user: string, extras: Json): void;
}

/** What callers can observe. */
export interface Sights {
  state(channel: string): Promise<ShownMessage[]>;
  ephemerals(user: string, channel?: string): Ephemeral[];
  /** The person's open modals, the top one last. */
  views(user: string): readonly SlackView[];
  home(user: string): SlackView | undefined;
  /** The app's Web API calls, oldest first; the newest 18,000 to 20,000 are kept. */
  calls: readonly SlackCall[];
  onChange(listener: (change: Change) => void): () => void;
  /**
   * Calls `look` now and after every change, and resolves with its first truthy result. Rejects
   * with the signal's reason, or when this Slack stops.
   */
  until<T>(look: () => T | Promise<T>, signal?: AbortSignal): Promise<Truthy<T>>;
}

/** A complete Slack to run the app against. Takes people and channels by name or identifier. */
export interface EmbeddedSlack extends Doings, Settings, Sights, Faults {
  /** For `SLACK_API_URL`; ends in `/api/`. */
  apiUrl: string;
  origin: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  ids: Ids;
  /** Counts, refreshes or breaks the app's socket connections. */
  socket: Pick<SocketModeServer, 'connections' | 'refresh' | 'drop'>;
  /** Resolves when no background event delivery is in progress. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}
