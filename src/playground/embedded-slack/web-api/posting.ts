import type { Directory } from '../directory.ts';
import type { Emulator } from '../emulator.ts';
import type { Ephemerals } from '../ephemerals.ts';
import { withIdentifiers } from '../interactions/block-elements.ts';
import type { Messages } from '../messages.ts';
import { APP, TEAM } from '../people.ts';
import {
  type Json,
  objectsOf,
  refusal,
  type SlackAnswer,
  type SlackMessage,
  stringOf,
} from '../slack-shapes.ts';
import type { Timeline } from '../timeline.ts';
import type { Events } from '../to-app/events.ts';
import { type ApiMethods, type ApiRequest, channelFor } from './api-method.ts';

interface PostingParts {
  emulator: Emulator;
  directory: Directory;
  timeline: Timeline;
  messages: Messages;
  ephemerals: Ephemerals;
  events: Events;
}

/**
 * Message and reaction methods: the emulator's, plus the app's identifiers on its messages,
 * identifiers in blocks, a record of ephemeral messages, and the events that follow.
 */
export function postingMethods(parts: PostingParts): ApiMethods {
  return {
    'chat.postMessage': (request) => post(parts, request),
    'chat.postEphemeral': (request) => postEphemeral(parts, request),
    'chat.update': (request) => update(parts, request),
    'chat.delete': (request) => remove(parts, request),
    'chat.getPermalink': (request) => permalink(parts, request),
    'reactions.add': (request) => react(parts, request),
    'reactions.remove': (request) => react(parts, request),
  };
}

async function post(parts: PostingParts, request: ApiRequest): Promise<SlackAnswer> {
  const { emulator, timeline, events, messages } = parts;
  const isPerson = stringOf(request.args, 'channel').startsWith('U');
  const allowed = isPerson || (await channelFor(parts.directory, request));
  if (typeof allowed === 'string') return refusal(allowed);
  const marks = request.account === APP.account ? { bot_id: APP.botId, app_id: APP.id } : {};
  const threadTs = stringOf(request.args, 'thread_ts');
  // Slack posts a reply to a deleted thread as a top-level message.
  const isGone = allowed !== true && timeline.isGone(allowed.id, threadTs);
  const place = isGone ? { thread_ts: undefined } : {};
  const args = { ...withBlockIds(request.args), ...marks, ...place };
  const answer = await emulator.call('chat.postMessage', args, request.account);
  if (!answer.ok) return answer;
  const channel = stringOf(answer, 'channel');
  const message = answer['message'] as SlackMessage;
  timeline.posted({ channel, ts: message.ts, threadTs: message.thread_ts, user: request.userId });
  events.noticed({ what: 'message', channel });
  const shown = messages.present(channel, message);
  events.background({ ...shown, channel, event_ts: message.ts }, { from: request.userId });
  return { ...answer, message: shown };
}

async function postEphemeral(parts: PostingParts, request: ApiRequest): Promise<SlackAnswer> {
  const allowed = await channelFor(parts.directory, request);
  if (typeof allowed === 'string') return refusal(allowed);
  const args = withBlockIds(request.args);
  const answer = await parts.emulator.call('chat.postEphemeral', args, request.account);
  if (!answer.ok) return answer;
  parts.ephemerals.add({
    ts: stringOf(answer, 'message_ts'),
    channel: allowed.id,
    user: stringOf(args, 'user'),
    text: stringOf(args, 'text'),
    blocks: objectsOf(args, 'blocks') ?? [],
    threadTs: stringOf(args, 'thread_ts') || undefined,
    via: 'postEphemeral',
  });
  parts.events.noticed({ what: 'ephemeral', channel: allowed.id });
  return answer;
}

async function update(parts: PostingParts, request: ApiRequest): Promise<SlackAnswer> {
  const { emulator, timeline, messages } = parts;
  const args = withBlockIds(request.args);
  const { channel, ts } = placeOf(args);
  const before = await earlier(parts, request);
  const answer = await emulator.call('chat.update', args, request.account);
  if (!answer.ok) return answer;
  timeline.touched(channel, ts);
  const message = messages.present(channel, answer['message'] as SlackMessage);
  hidden(parts, request, { subtype: 'message_changed', message, previous_message: before });
  return { ...answer, message };
}

async function remove(parts: PostingParts, request: ApiRequest): Promise<SlackAnswer> {
  const { channel, ts } = placeOf(request.args);
  const before = await earlier(parts, request);
  const answer = await parts.emulator.call('chat.delete', request.args, request.account);
  if (!answer.ok) return answer;
  parts.timeline.removed(channel, ts);
  hidden(parts, request, { subtype: 'message_deleted', deleted_ts: ts, previous_message: before });
  return answer;
}

// The emulator's permalink has the emulator's own address.
async function permalink({ emulator }: PostingParts, request: ApiRequest): Promise<SlackAnswer> {
  const answer = await emulator.call(request.method, request.args, request.account);
  if (!answer.ok) return answer;
  const { pathname, search } = new URL(stringOf(answer, 'permalink'));
  return { ...answer, permalink: `https://${TEAM.domain}.slack.com${pathname}${search}` };
}

async function react(parts: PostingParts, request: ApiRequest): Promise<SlackAnswer> {
  const { args, account, method, userId } = request;
  const channel = stringOf(args, 'channel');
  const ts = stringOf(args, 'timestamp');
  const answer = await parts.emulator.call(method, args, account);
  if (!answer.ok) return answer;
  parts.timeline.touched(channel, ts);
  parts.events.noticed({ what: 'reaction', channel });
  const type = method === 'reactions.add' ? 'reaction_added' : 'reaction_removed';
  const item = { type: 'message', channel, ts };
  const event = { type, user: userId, reaction: args['name'], item };
  parts.events.background(event, { from: userId, channel });
  return answer;
}

// Events about edits and deletions nest the messages and have no `user` field.
function hidden(parts: PostingParts, request: ApiRequest, event: Json): void {
  const { channel } = placeOf(request.args);
  parts.events.noticed({ what: 'message', channel });
  const at = parts.events.timestamp();
  const base = { type: 'message', hidden: true, channel, ts: at, event_ts: at };
  parts.events.background({ ...base, ...event }, { from: request.userId });
}

async function earlier(parts: PostingParts, { args, userId }: ApiRequest) {
  const { channel, ts } = placeOf(args);
  if (!parts.events.wants('message', userId)) return undefined;
  const known = await parts.directory.channel(channel);
  return known ? parts.messages.read(channel, ts) : undefined;
}

function placeOf(args: Json): { channel: string; ts: string } {
  return { channel: stringOf(args, 'channel'), ts: stringOf(args, 'ts') };
}

function withBlockIds(args: Json): Json {
  const blocks = objectsOf(args, 'blocks');
  return blocks ? { ...args, blocks: withIdentifiers(blocks) } : args;
}
