import { virtualNow } from '../kernel/virtual-time.ts';

export type Json = Record<string, unknown>;

export const TEAM = 'T000000001';
export const PARTNER_TEAM = 'T0PARTNER1';
export const BOT = { user: 'U0PIGEON01', bot: 'B0PIGEON01', app: 'A0PIGEON01' } as const;

export interface SlackUser {
  id: string;
  team: string;
  admin: boolean;
  guest: boolean;
}

/** Whether a user is no guest, and of this workspace. */
export const isMember = (user?: SlackUser) => user?.team === TEAM && !user.guest;

/** Slack's copy of a file, with the time from which it is visible. */
export interface SlackFile {
  id: string;
  name: string;
  bytes: Buffer;
  sha256: string;
  user: string;
  /** Until then, events show a stub and files.info says that the file is not there yet. */
  visibleAt: number;
  deleted: boolean;
}

export interface SlackMessage {
  ts: string;
  user: string;
  text: string;
  threadTs: string | null;
  files: SlackFile[];
  subtype: string | null;
  /** Whether the app's bot posted it. */
  own: boolean;
  blocks: Json[];
  metadata: Json | null;
  /** The users who reacted, by the reaction's name. */
  reactions: Map<string, Set<string>>;
  /** The addresses in it that have a preview. */
  previews: Set<string>;
}

export interface SlackChannel {
  id: string;
  name: string;
  members: Set<string>;
  archived: boolean;
  /** In the order of their `ts`, with replies included. */
  messages: SlackMessage[];
  /** The addresses of the bookmarks in its header, by their identifiers. */
  bookmarks: Map<string, string>;
}

/** A message that only one person sees. */
export interface Ephemeral {
  channel: string;
  user: string;
  text: string;
  blocks: Json[];
}

/** A person's action whose response they wait for, with the responses so far. */
export interface UserRequest {
  /** What they did, in the words of a failure. */
  what: string;
  channel: string;
  user: string;
  /** The channel that the button is about; undefined if it is about none. */
  about?: string | undefined;
  /** What held the button that was pressed; null for a command or a message in the channel. */
  original: Ephemeral | null;
  /** The modal with the button that was pressed; null for one elsewhere. */
  modal: Modal | null;
  sentAt: number;
  /** Whether the app acknowledged it in time. */
  acknowledged: boolean;
  /** Whether this kind always gets a response in words. */
  expectsResponse: boolean;
  /** The responses, newest last. */
  responses: { at: number; shown: Ephemeral }[];
  /** Called with each response as it arrives. */
  onResponse?(shown: Ephemeral): void;
}

/** A modal that the app has opened for a person. */
export interface Modal {
  id: string;
  user: string;
  /** The action that it was opened for. */
  request: UserRequest;
  view: Json;
  /** Increases with each change of what it shows. */
  version: number;
  isOpen: boolean;
}

/** Everything that Slack stores of one workspace. */
export type SlackState = ReturnType<typeof createSlackState>;

export function createSlackState() {
  let last = 0;
  return {
    users: new Map<string, SlackUser>(),
    channels: new Map<string, SlackChannel>(),
    files: new Map<string, SlackFile>(),
    ephemerals: [] as Ephemeral[],
    modals: [] as Modal[],
    /** Each can open one modal, for a limited time. */
    triggers: new Map<string, { request: UserRequest; until: number; used: boolean }>(),
    /** What people's App Homes show. */
    homes: new Map<string, Ephemeral>(),
    homeRequests: [] as UserRequest[],
    /** The presses of buttons in modals, which show the responses. */
    modalRequests: [] as UserRequest[],
    /** What people did on messages in threads, where the app answers them. */
    threadRequests: [] as { threadTs: string; request: UserRequest }[],
    /** Returns a timestamp that no message has yet. */
    nextTs: (): string => {
      last = Math.max(last + 1, virtualNow() * 1000);
      return `${Math.floor(last / 1_000_000)}.${String(last % 1_000_000).padStart(6, '0')}`;
    },
  };
}

/** Returns a person's direct messages with the app or with another person. */
export function directWith(
  state: SlackState,
  user: string,
  other: string = BOT.user,
): SlackChannel {
  const id = other === BOT.user ? homeOf(user) : `D0${user.slice(2)}0${other.slice(2)}`;
  const known = state.channels.get(id);
  if (known) return known;
  const members = new Set([user, other]);
  const made = { id, name: id, members, archived: false, messages: [], bookmarks: new Map() };
  state.channels.set(id, made);
  return made;
}

/** Returns the conversation of a person's direct messages with the app, and of its Home. */
export function homeOf(user: string): string {
  return user.replace(/^U/, 'D');
}

export function isDirect({ id }: Pick<SlackChannel, 'id'>): boolean {
  return id.startsWith('D');
}

export function newMessage(ts: string, given: Partial<SlackMessage>): SlackMessage {
  const empty = { user: '', text: '', threadTs: null, subtype: null, own: false, metadata: null };
  const none = { files: [], blocks: [], reactions: new Map(), previews: new Set<string>() };
  return { ts, ...empty, ...none, ...given };
}

/** Returns what the app sees of a file (https://docs.slack.dev/reference/objects/file-object). */
export function fileJson(file: SlackFile): Json {
  if (file.deleted) return { id: file.id, mode: 'tombstone' };
  if (virtualNow() < file.visibleAt)
    return { id: file.id, mode: 'file_access', file_access: 'check_file_info' };
  const address = `https://files.slack.com/files-pri/${TEAM}-${file.id}`;
  const name = encodeURIComponent(file.name);
  return {
    id: file.id,
    name: file.name,
    title: file.name,
    mimetype: 'application/octet-stream',
    filetype: 'binary',
    size: file.bytes.length,
    mode: 'hosted',
    is_external: false,
    file_access: 'visible',
    user: file.user,
    url_private: `${address}/${name}`,
    url_private_download: `${address}/download/${name}`,
  };
}

/** Returns what the app sees of a message (https://docs.slack.dev/reference/events/message). */
export function messageJson(channel: SlackChannel, message: SlackMessage): Json {
  const replies = channel.messages.filter(({ threadTs }) => threadTs === message.ts);
  const last = replies.at(-1);
  const inThread = message.threadTs ?? (last ? message.ts : null);
  return {
    type: 'message',
    ts: message.ts,
    user: message.user,
    text: message.text,
    ...(message.subtype ? { subtype: message.subtype } : {}),
    ...(message.own ? { bot_id: BOT.bot, app_id: BOT.app } : {}),
    ...(inThread ? { thread_ts: inThread } : {}),
    ...(last ? { reply_count: replies.length, latest_reply: last.ts } : {}),
    ...(message.files.length > 0 ? { files: message.files.map(fileJson), upload: true } : {}),
    ...(message.blocks.length > 0 ? { blocks: message.blocks } : {}),
    ...(message.metadata ? { metadata: message.metadata } : {}),
    ...(message.reactions.size > 0 ? { reactions: reactionsJson(message) } : {}),
  };
}

function reactionsJson({ reactions }: SlackMessage): Json[] {
  return [...reactions].map(([name, users]) => ({ name, users: [...users], count: users.size }));
}

/** Callbacks for what the app does, each called just after it. */
export interface AppObserver {
  posted(channel: string, message: SlackMessage): void;
  updated(channel: string, message: SlackMessage): void;
  /** The app sent somebody a direct message. */
  notified(shown: Ephemeral): void;
  /** The app showed something to one person that is not a response to what they did. */
  shown(ephemeral: Ephemeral): void;
  /** Something is visible where only one person reads it, however it got there. */
  read(ephemeral: Ephemeral): void;
  /** A modal was opened, or shows something else. */
  modal(modal: Modal): void;
  reacted(channel: string, message: SlackMessage, change: { name: string; added: boolean }): void;
  /** The app showed blocks under an address that somebody had posted in a channel. */
  previewed(channel: string, url: string, blocks: Json[]): void;
}

/** The arguments of one method call, as text, as Slack receives them. */
export type ApiArguments = Record<string, string>;

export type Method = (args: ApiArguments, state: SlackState, observer: AppObserver) => Json;

/** A refusal with Slack's error code. */
export class Refused extends Error {}
