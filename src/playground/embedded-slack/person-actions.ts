import type { Directory } from './directory.ts';
import type { Emulator } from './emulator.ts';
import type { FileContent, FileStore, NewFile } from './files/file-store.ts';
import type { Messages } from './messages.ts';
import { TEAM } from './people.ts';
import type { Json, SlackMessage } from './slack-shapes.ts';
import { stringOf } from './slack-shapes.ts';
import type { Timeline } from './timeline.ts';
import type { Delivery } from './to-app/deliveries.ts';
import type { Events } from './to-app/events.ts';
import type { Uploads } from './web-api/uploads.ts';

export interface Sending {
  /**
   * How many times to deliver the event; `true` (default) is 1, `false` is 0 (the app was down).
   */
  deliver?: boolean | number;
}

export interface ShareRequest extends Sending {
  channel: string;
  user: string;
  files: (NewFile & FileContent)[];
  text?: string;
  threadTs?: string;
  /** `none`: the message has no subtype, as for most shares in Slack. Default `file_share`. */
  subtype?: 'file_share' | 'none';
}

interface SayRequest extends Sending {
  channel: string;
  user: string;
  text: string;
  threadTs?: string;
}

/** A message that a person posted, and how the delivery of its event went. */
export interface Posted {
  channel: string;
  ts: string;
  /** The files' identifiers in the order given; empty without files. */
  fileIds: string[];
  /** Every attempt to deliver the `message` event. */
  deliveries: Delivery[];
}

interface PersonParts {
  emulator: Emulator;
  directory: Directory;
  events: Events;
  files: FileStore;
  messages: Messages;
  timeline: Timeline;
  uploads: Uploads;
}

export interface PersonActions {
  /** Uploads files and shares them, as a member's client does. Waits for the app's response. */
  share(request: ShareRequest): Promise<Posted>;
  say(request: SayRequest): Promise<Posted>;
  /** Opens the app's Home tab. */
  openHome(user: string): Promise<Delivery[]>;
}

export function createPersonActions(parts: PersonParts): PersonActions {
  return {
    share: (request) => share(parts, request),
    say: (request) => say(parts, request),
    openHome: (user) => openHome(parts, user),
  };
}

async function share(parts: PersonParts, request: ShareRequest): Promise<Posted> {
  const { directory, uploads, messages } = parts;
  const { user, account, channel } = whereabouts(parts, request);
  const fileIds = await Promise.all(request.files.map((file) => upload(parts, account, file)));
  const { answer, ts } = await uploads.complete({
    method: 'files.completeUploadExternal',
    account,
    userId: user,
    args: {
      files: fileIds.map((id) => ({ id })),
      channel_id: channel,
      ...(request.text ? { initial_comment: request.text } : {}),
      ...(request.threadTs ? { thread_ts: request.threadTs } : {}),
    },
  });
  if (!ts) throw new Error(`${directory.account(user)} could not share: ${answer.error}`);
  if (request.subtype === 'none') messages.dropSubtype(channel, ts);
  const deliveries = await announce(parts, { user, channel, ts, fileIds, sending: request });
  return { channel, ts, fileIds, deliveries };
}

async function upload(parts: PersonParts, account: string, file: NewFile & FileContent) {
  const id = await parts.uploads.begin(account, file);
  await parts.files.fill(id, file);
  await parts.emulator.markUploaded(id);
  return id;
}

async function say(parts: PersonParts, request: SayRequest): Promise<Posted> {
  const { user, account, channel } = whereabouts(parts, request);
  const thread = request.threadTs ? { thread_ts: request.threadTs } : {};
  const args = { channel, text: request.text, ...thread };
  const answer = await parts.emulator.call('chat.postMessage', args, account);
  const ts = stringOf(answer, 'ts');
  if (!ts) throw new Error(`${account} could not post: ${answer.error}`);
  parts.timeline.posted({ channel, ts, threadTs: request.threadTs, user });
  parts.events.noticed({ what: 'message', channel });
  const deliveries = await announce(parts, { user, channel, ts, fileIds: [], sending: request });
  return { channel, ts, fileIds: [], deliveries };
}

async function openHome({ emulator, directory, events }: PersonParts, user: string) {
  const id = directory.userId(user);
  const opened = await emulator.call('conversations.open', { users: id }, 'pigeonhole');
  directory.refresh();
  const channel = stringOf((opened['channel'] ?? {}) as Json, 'id');
  const event = { type: 'app_home_opened', user: id, channel, tab: 'home' };
  return events.deliver(event, { from: id });
}

interface Announcement {
  user: string;
  channel: string;
  ts: string;
  fileIds: string[];
  sending: Sending;
}

async function announce(parts: PersonParts, about: Announcement): Promise<Delivery[]> {
  const { user, channel, ts, fileIds, sending } = about;
  const times = Number(sending.deliver ?? true);
  if (times === 0) return [];
  const message = await parts.messages.read(channel, ts);
  if (!message) return [];
  const from = user;
  for (const id of fileIds) {
    const file = { file_id: id, file: { id }, user_id: user, channel_id: channel };
    parts.events.background({ type: 'file_shared', ...file }, { from, channel });
  }
  return parts.events.deliver(messageEvent(parts, channel, message), { from, times });
}

function messageEvent({ directory }: PersonParts, channel: string, message: SlackMessage): Json {
  const team = directory.teamOf(message.user ?? '');
  const foreign = team === TEAM.id ? {} : { user_team: team, source_team: team };
  const marks = message.files ? { upload: true, display_as_bot: false } : { team };
  return { ...message, ...marks, ...foreign, channel, event_ts: message.ts };
}

function whereabouts({ directory }: PersonParts, request: { user: string; channel: string }) {
  const user = directory.userId(request.user);
  return { user, account: directory.account(user), channel: directory.channelId(request.channel) };
}
