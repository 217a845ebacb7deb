import type { Delivery } from './app-connection/events-api.ts';
import type { SlackContext } from './context.ts';
import type { FileContent, NewFile } from './files/file-store.ts';
import { type Json, objectOf, type SlackMessage, stringOf } from './slack-types.ts';
import { beginUpload, completeUpload } from './web-api/files.ts';
import { shareLinks } from './web-api/unfurls.ts';
import { APP, TEAM } from './workspace-seed.ts';

interface PostRequest {
  channel: string;
  user: string;
  threadTs?: string;
  /**
   * How many times to deliver the event; `true` (default) is 1, `false` is 0 (the app was down).
   */
  deliver?: boolean | number;
}

interface SayRequest extends PostRequest {
  text: string;
}

export interface ShareRequest extends PostRequest {
  files: (NewFile & FileContent)[];
  text?: string;
  /** `none`: the message has no subtype, as for most shares in Slack. Default `file_share`. */
  subtype?: 'file_share' | 'none';
}

/** A message that a user posted, and how the delivery of its event went. */
export interface Posted {
  channel: string;
  ts: string;
  /** The files' identifiers in the order given; empty without files. */
  fileIds: string[];
  /** Every attempt to deliver the `message` event. */
  deliveries: Delivery[];
}

/** A tab of the app's conversation. */
type AppTab = 'home' | 'messages';

/** What users do without the app: post, share files, open the app's tabs. */
export interface UserActions {
  /** Uploads files and shares them, as a member's client does. Waits for the app's response. */
  share(request: ShareRequest): Promise<Posted>;
  say(request: SayRequest): Promise<Posted>;
  /** Opens a tab of the app's conversation; default: the Home tab. */
  openHome(user: string, tab?: AppTab): Promise<Delivery[]>;
}

export function createUserActions(context: SlackContext): UserActions {
  return {
    share: (request) => share(context, request),
    say: (request) => say(context, request),
    openHome: (user, tab = 'home') => openHome(context, user, tab),
  };
}

async function share(context: SlackContext, request: ShareRequest): Promise<Posted> {
  const { user, account, channel } = resolveNames(context, request);
  const fileIds = await Promise.all(request.files.map((file) => upload(context, account, file)));
  const { response, ts } = await completeUpload(context, {
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
  if (!ts) throw new Error(`${account} could not share: ${response.error}`);
  if (request.subtype === 'none') context.messages.dropSubtype(channel, ts);
  return deliverEvents(context, request, { channel, ts, fileIds });
}

async function upload(context: SlackContext, account: string, file: NewFile & FileContent) {
  const id = await beginUpload(context, account, file);
  await context.files.fill(id, file);
  await context.emulator.markUploaded(id);
  return id;
}

async function say(context: SlackContext, request: SayRequest): Promise<Posted> {
  const { user, account, channel } = resolveNames(context, request);
  const { text, threadTs } = request;
  const args = { channel, text, ...(threadTs ? { thread_ts: threadTs } : {}) };
  const response = await context.emulator.call('chat.postMessage', args, account);
  const ts = stringOf(response, 'ts');
  if (!ts) throw new Error(`${account} could not post: ${response.error}`);
  context.messages.posted({ channel, ts, threadTs, user });
  return deliverEvents(context, request, { channel, ts, fileIds: [] });
}

async function openHome({ emulator, directory, events }: SlackContext, user: string, tab: AppTab) {
  const id = directory.userId(user);
  const opened = await emulator.call('conversations.open', { users: id }, APP.account);
  directory.refresh();
  const channel = stringOf(objectOf(opened, 'channel') ?? {}, 'id');
  const event = { type: 'app_home_opened', user: id, channel, tab };
  return events.deliver(event, { from: id });
}

/** Delivers the events of a posted message. */
async function deliverEvents(
  context: SlackContext,
  request: PostRequest,
  posted: Omit<Posted, 'deliveries'>,
): Promise<Posted> {
  const { channel, ts, fileIds } = posted;
  const { user } = resolveNames(context, request);
  const times = Number(request.deliver ?? true);
  const message = times > 0 ? await context.messages.read(channel, ts) : undefined;
  if (!message) return { ...posted, deliveries: [] };
  for (const id of fileIds) {
    const file = { file_id: id, file: { id }, user_id: user, channel_id: channel };
    context.events.background({ type: 'file_shared', ...file }, { from: user, channel });
  }
  await shareLinks(context, channel, message);
  const event = messageEvent(context, channel, message);
  return { ...posted, deliveries: await context.events.deliver(event, { from: user, times }) };
}

function messageEvent({ directory }: SlackContext, channel: string, message: SlackMessage): Json {
  const team = directory.teamOf(message.user ?? '');
  const foreign = team === TEAM.id ? {} : { user_team: team, source_team: team };
  const extras = message.files ? { upload: true, display_as_bot: false } : { team };
  return { ...message, ...extras, ...foreign, channel, event_ts: message.ts };
}

function resolveNames({ directory }: SlackContext, request: { user: string; channel: string }) {
  const user = directory.userId(request.user);
  return { user, account: directory.account(user), channel: directory.channelId(request.channel) };
}
