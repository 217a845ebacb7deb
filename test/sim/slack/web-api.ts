import { recordResponse, VIEW_METHODS } from './interactions.ts';
import {
  type ApiArguments,
  type AppObserver,
  BOT,
  directWith,
  fileJson,
  isDirect,
  type Json,
  type Method,
  messageJson,
  newMessage,
  Refused,
  type SlackChannel,
  type SlackMessage,
  type SlackState,
  TEAM,
} from './state.ts';

/** The workspace's address for people. */
const WORKSPACE_URL = 'https://acme.slack.com/';

/** The methods that the app calls (https://docs.slack.dev/reference/methods), and no others. */
const METHODS: Record<string, Method> = {
  'auth.test': () => ({ team_id: TEAM, user_id: BOT.user, bot_id: BOT.bot, url: WORKSPACE_URL }),
  'bots.info': () => ({ bot: { id: BOT.bot, app_id: BOT.app, user_id: BOT.user } }),
  'chat.postMessage': postMessage,
  'chat.update': updateMessage,
  'chat.delete': deleteMessage,
  'chat.postEphemeral': postEphemeral,
  'chat.unfurl': unfurl,
  'bookmarks.list': listBookmarks,
  'bookmarks.add': addBookmark,
  'bookmarks.remove': removeBookmark,
  'conversations.info': channelInfo,
  'conversations.history': history,
  'conversations.replies': replies,
  'users.conversations': conversations,
  'users.info': userInfo,
  ...VIEW_METHODS,
  'files.info': fileInfo,
  'reactions.add': (args, state, observer) => react(args, state, observer, true),
  'reactions.remove': (args, state, observer) => react(args, state, observer, false),
};

/** Carries out one call and returns Slack's response. */
export function callMethod(
  { method, args }: { method: string; args: ApiArguments },
  state: SlackState,
  observer: AppObserver,
): Json {
  const run = METHODS[method];
  if (!run) return { ok: false, error: 'unknown_method' };
  try {
    return { ok: true, ...run(args, state, observer) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, error: error.message };
    throw error;
  }
}

function openChannel({ channel = '' }: ApiArguments, { channels }: SlackState): SlackChannel {
  const found = channels.get(channel);
  const isMember = found?.members.has(BOT.user);
  if (!found || (isDirect(found) && !isMember)) throw new Refused('channel_not_found');
  if (!isMember) throw new Refused('not_in_channel');
  return found;
}

function writableChannel(args: ApiArguments, state: SlackState): SlackChannel {
  const found = openChannel(args, state);
  if (found.archived) throw new Refused('is_archived');
  return found;
}

function messageAt(channel: SlackChannel, ts: string | undefined, reason: string): SlackMessage {
  const found = channel.messages.find((message) => message.ts === ts);
  if (!found || (found.subtype === 'tombstone' && reason !== 'thread_not_found'))
    throw new Refused(reason);
  return found;
}

function ownMessage(args: ApiArguments, state: SlackState, reason: string) {
  const channel = writableChannel(args, state);
  const message = messageAt(channel, args['ts'], 'message_not_found');
  if (!message.own) throw new Refused(reason);
  return { channel, message };
}

function postMessage(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  if (state.users.has(args['channel'] ?? '')) return sendDirectly(args, state, observer);
  const channel = writableChannel(args, state);
  // A reply to a deleted message appears at the top level of the channel.
  const root = channel.messages.find(({ ts }) => ts === args['thread_ts']);
  const message = newMessage(state.nextTs(), {
    user: BOT.user,
    own: true,
    text: args['text'] ?? '',
    threadTs: root?.ts ?? null,
    blocks: blocksOf(args['blocks']),
    metadata: args['metadata'] ? JSON.parse(args['metadata']) : null,
  });
  channel.messages.push(message);
  observer.posted(channel.id, message);
  return { channel: channel.id, ts: message.ts, message: messageJson(channel, message) };
}

// Posts in a person's direct messages with the app, which exist once either of them says something.
function sendDirectly(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  const { channel: user = '', text = '' } = args;
  const channel = directWith(state, user);
  const blocks = blocksOf(args['blocks']);
  const message = newMessage(state.nextTs(), { user: BOT.user, own: true, text, blocks });
  channel.messages.push(message);
  observer.notified({ channel: channel.id, user, text, blocks });
  return { channel: channel.id, ts: message.ts };
}

function updateMessage(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  const { channel, message } = ownMessage(args, state, 'cant_update_message');
  message.text = args['text'] ?? '';
  message.blocks = blocksOf(args['blocks']);
  observer.updated(channel.id, message);
  return { channel: channel.id, ts: message.ts, text: message.text };
}

function deleteMessage(args: ApiArguments, state: SlackState): Json {
  const { channel, message } = ownMessage(args, state, 'cant_delete_message');
  channel.messages.splice(channel.messages.indexOf(message), 1);
  return { channel: channel.id, ts: message.ts };
}

function postEphemeral(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  const channel = writableChannel(args, state);
  const { user = '', text = '', thread_ts } = args;
  if (!channel.members.has(user)) throw new Refused('user_not_in_channel');
  const ephemeral = { channel: channel.id, user, text, blocks: blocksOf(args['blocks']) };
  state.ephemerals.push(ephemeral);
  observer.read(ephemeral);
  observer.shown(ephemeral);
  const asked = state.threadRequests.filter(
    ({ threadTs, request }) =>
      threadTs === thread_ts && request.user === user && request.channel === channel.id,
  );
  // A person may ask about several messages of a thread, one after the other; what was lost on its
  // way to the app cannot be what it answers.
  const open = asked.filter(({ request }) => request.responses.length === 0);
  const answered = open.find(({ request }) => request.acknowledged) ?? open[0] ?? asked.at(-1);
  if (answered) recordResponse(answered.request, ephemeral);
  return { message_ts: state.nextTs() };
}

function unfurl(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  const channel = openChannel(args, state);
  const message = messageAt(channel, args['ts'], 'cannot_unfurl_message');
  const shown: Record<string, { blocks: Json[] }> = JSON.parse(args['unfurls'] ?? '{}');
  for (const [url, { blocks }] of Object.entries(shown)) {
    message.previews.add(url);
    observer.previewed(channel.id, url, blocks);
  }
  return {};
}

function listBookmarks({ channel_id: channel = '' }: ApiArguments, state: SlackState): Json {
  const { bookmarks } = openChannel({ channel }, state);
  return { bookmarks: [...bookmarks].map(([id, link]) => ({ id, link })) };
}

function addBookmark({ channel_id: channel = '', link = '' }: ApiArguments, state: SlackState) {
  const id = `Bk${state.nextTs()}`;
  writableChannel({ channel }, state).bookmarks.set(id, link);
  return { bookmark: { id, link } };
}

function removeBookmark(args: ApiArguments, state: SlackState): Json {
  const { channel_id: channel = '', bookmark_id: id = '' } = args;
  if (!writableChannel({ channel }, state).bookmarks.delete(id)) throw new Refused('not_found');
  return {};
}

function blocksOf(text: string | undefined): Json[] {
  return text ? JSON.parse(text) : [];
}

function history(args: ApiArguments, state: SlackState): Json {
  const channel = openChannel(args, state);
  const shown = channel.messages.filter(({ threadTs }) => threadTs === null).toReversed();
  return page(channel, shown, args);
}

function replies(args: ApiArguments, state: SlackState): Json {
  const channel = openChannel(args, state);
  const parent = messageAt(channel, args['ts'], 'thread_not_found');
  const all = channel.messages.filter(({ threadTs }) => threadTs === parent.ts);
  const rest = page(channel, all, args);
  const messages = [messageJson(channel, parent), ...(rest['messages'] as Json[])];
  return { ...rest, messages };
}

function page(channel: SlackChannel, all: SlackMessage[], args: ApiArguments): Json {
  const { oldest = '0', latest = '9999999999', cursor = '' } = args;
  const within = all.filter(({ ts }) => ts > oldest && ts < latest);
  const from = cursor ? within.findIndex(({ ts }) => ts === cursor) : 0;
  if (from < 0) throw new Refused('invalid_cursor');
  const limit = Math.min(Number(args['limit'] ?? 100), MAX_A_PAGE);
  const next = within[from + limit];
  const messages = within.slice(from, from + limit).map((one) => messageJson(channel, one));
  const response_metadata = { next_cursor: next?.ts ?? '' };
  return { messages, has_more: next !== undefined, response_metadata };
}

/** Far fewer than Slack's thousand, so that small worlds have pages too. */
const MAX_A_PAGE = 20;

function conversations({ user = BOT.user }: ApiArguments, { channels }: SlackState): Json {
  const mine = [...channels.values()].filter(
    ({ members, archived }) => members.has(BOT.user) && members.has(user) && !archived,
  );
  return { channels: mine.map(({ id }) => ({ id })), response_metadata: { next_cursor: '' } };
}

function channelInfo({ channel = '' }: ApiArguments, { channels }: SlackState): Json {
  const found = channels.get(channel);
  if (!found) throw new Refused('channel_not_found');
  const { id, name, archived, members } = found;
  return { channel: { id, name, is_archived: archived, is_member: members.has(BOT.user) } };
}

function userInfo(args: ApiArguments, { users }: SlackState): Json {
  const user = users.get(args['user'] ?? '');
  if (!user) throw new Refused('user_not_found');
  const { id, team, admin, guest } = user;
  const roles = { is_admin: admin, is_owner: false, is_restricted: guest };
  return { user: { id, team_id: team, ...roles, is_stranger: team !== TEAM } };
}

// The app sees nothing of conversations that it is not in.
function fileInfo(args: ApiArguments, { files, channels }: SlackState): Json {
  const file = files.get(args['file'] ?? '');
  const isSeen = [...channels.values()].some(
    ({ members, messages }) =>
      members.has(BOT.user) && messages.some((message) => file && message.files.includes(file)),
  );
  if (!file || !(isSeen || file.deleted)) throw new Refused('file_not_found');
  if (file.deleted) throw new Refused('file_deleted');
  return { file: fileJson(file) };
}

function react(args: ApiArguments, state: SlackState, observer: AppObserver, added: boolean): Json {
  const channel = writableChannel(args, state);
  const message = messageAt(channel, args['timestamp'], 'message_not_found');
  const { name = '' } = args;
  const who = message.reactions.get(name) ?? new Set();
  if (added === who.has(BOT.user)) throw new Refused(added ? 'already_reacted' : 'no_reaction');
  if (added) who.add(BOT.user);
  else who.delete(BOT.user);
  message.reactions.set(name, who);
  observer.reacted(channel.id, message, { name, added });
  return {};
}
