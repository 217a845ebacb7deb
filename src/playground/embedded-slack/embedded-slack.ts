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

/** A big file that is never anywhere: made as it is downloaded. */
export interface VirtualShare extends Sending {
  channel: string;
  user: string;
  name: string;
  /** Bytes. */
  size: number;
  seed?: number;
  mimetype?: string;
}

/** What people, and Slack itself, do. */
export interface Doings extends PersonActions, Interactions, Submissions {
  shareVirtual(share: VirtualShare): Promise<Posted>;
  command(request: CommandRequest): Promise<Reaction>;
  /** Calls any method of the Web API as a person: `chat.update`, `chat.delete`, `files.delete`… */
  as(user: string, method: string, args: Json): Promise<SlackAnswer>;
  /** Sends the event to the app once more, under the same `event_id`. */
  redeliver(eventId: string): Promise<Delivery[]>;
  /** Sends any event, when the app is subscribed to its type. */
  sendEvent(event: Json, options?: EventOptions & { times?: number }): Promise<Delivery[]>;
  forge(kind: Forgery, payload: object): Promise<Attempt>;
  /** Sends anything as Slack does, signed or through the app's socket. */
  sendRaw(message: Outgoing): Promise<Attempt>;
}

/** How this Slack is, until it is set otherwise. */
export interface Settings {
  /** Where the app listens; a bare origin means its `/slack/events`. */
  connectApp(url: string): void;
  /** Whether the app gets the events of its own messages, as in Slack; on at first. */
  setOwnMessages(on: boolean): void;
  /** Whether downloads lead on to a second address that wants the token again; off at first. */
  setDownloadRedirects(on: boolean): void;
  setFileOddity(fileId: string, oddity: FileOddity): void;
  /** Sets fields over those of `conversations.info`, such as `is_ext_shared`. */
  setChannel(channel: string, extras: Json): void;
  /** Sets fields over those of `users.info`, such as `is_admin`. */
  setUser(user: string, extras: Json): void;
}

/** What can be looked at. */
export interface Sights {
  state(channel: string): Promise<ShownMessage[]>;
  ephemerals(user: string, channel?: string): Ephemeral[];
  /** The modals a person has open, the last on top. */
  views(user: string): readonly SlackView[];
  home(user: string): SlackView | undefined;
  /** The app's calls of the Web API, the oldest first; the last 20,000. */
  calls: readonly SlackCall[];
  onChange(listener: (change: Change) => void): () => void;
  /**
   * Looks now and after every change, until `look` gives something truthy, and resolves with that.
   * Rejects with the signal's reason, or when this Slack stops.
   */
  until<T>(look: () => T | Promise<T>, signal?: AbortSignal): Promise<Truthy<T>>;
}

/** A whole Slack to run the app against. People and channels go by name or identifier. */
export interface EmbeddedSlack extends Doings, Settings, Sights, Faults {
  /** For `SLACK_API_URL`; ends in `/api/`. */
  apiUrl: string;
  origin: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  ids: Ids;
  /** The app's socket connections: how many, asked to be renewed, broken. */
  socket: Pick<SocketModeServer, 'connections' | 'refresh' | 'drop'>;
  /** Resolves when no event is on its way to the app any more. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}
