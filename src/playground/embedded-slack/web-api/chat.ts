import { withIdentifiers } from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import {
  errorResponse,
  type Json,
  objectsOf,
  type SlackMessage,
  type SlackResponse,
  stringOf,
} from '../slack-types.ts';
import { APP, TEAM } from '../workspace-seed.ts';
import { type ApiMethods, type ApiRequest, channelFor } from './api-method.ts';

/**
 * Message and reaction methods: the emulator's, plus the app's identifiers on its messages,
 * identifiers in blocks, a record of ephemeral messages, and the events that follow.
 */
export function chatMethods(context: SlackContext) {
  return {
    'chat.postMessage': (request) => post(context, request),
    'chat.postEphemeral': (request) => postEphemeral(context, request),
    'chat.update': (request) => update(context, request),
    'chat.delete': (request) => remove(context, request),
    'chat.getPermalink': (request) => permalink(context, request),
    'reactions.add': (request) => react(context, request),
    'reactions.remove': (request) => react(context, request),
  } satisfies ApiMethods;
}

async function post(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const { emulator, events, messages } = context;
  const { account, userId } = request;
  const isToUser = stringOf(request.args, 'channel').startsWith('U');
  const allowed = isToUser || (await channelFor(context.directory, request));
  if (typeof allowed === 'string') return errorResponse(allowed);
  const app = account === APP.account ? { bot_id: APP.botId, app_id: APP.id } : {};
  const threadTs = stringOf(request.args, 'thread_ts');
  // Slack posts a reply to a deleted thread as a top-level message.
  const isGone = allowed !== true && messages.isThreadGone(allowed.id, threadTs);
  const thread = isGone ? { thread_ts: undefined } : {};
  const args = { ...withBlockIds(request.args), ...app, ...thread };
  const response = await emulator.forward({ ...request, args });
  if (!response.ok) return response;
  const channel = stringOf(response, 'channel');
  const raw = response['message'] as SlackMessage;
  messages.posted({ channel, ts: raw.ts, threadTs: raw.thread_ts, user: userId });
  const message = messages.present(channel, raw);
  events.background({ ...message, channel, event_ts: raw.ts }, { from: userId });
  return { ...response, message };
}

async function postEphemeral(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const allowed = await channelFor(context.directory, request);
  if (typeof allowed === 'string') return errorResponse(allowed);
  const args = withBlockIds(request.args);
  const response = await context.emulator.forward({ ...request, args });
  if (!response.ok) return response;
  context.ephemerals.add({
    ts: stringOf(response, 'message_ts'),
    channel: allowed.id,
    user: stringOf(args, 'user'),
    text: stringOf(args, 'text'),
    blocks: objectsOf(args, 'blocks') ?? [],
    threadTs: stringOf(args, 'thread_ts') || undefined,
    via: 'postEphemeral',
    edits: 0,
  });
  context.changes.notify('ephemeral');
  return response;
}

async function update(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const { emulator, messages } = context;
  const args = withBlockIds(request.args);
  const { channel, ts } = targetOf(args);
  const previous_message = await previousMessage(context, request);
  const response = await emulator.forward({ ...request, args });
  if (!response.ok) return response;
  messages.changed(channel, ts, 'message');
  const message = messages.present(channel, response['message'] as SlackMessage);
  sendHidden(context, request, { subtype: 'message_changed', message, previous_message });
  return { ...response, message };
}

async function remove(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const { channel, ts } = targetOf(request.args);
  const previous_message = await previousMessage(context, request);
  const response = await context.emulator.forward(request);
  if (!response.ok) return response;
  context.messages.removed(channel, ts);
  sendHidden(context, request, { subtype: 'message_deleted', deleted_ts: ts, previous_message });
  return response;
}

// The emulator's permalink has the emulator's own address.
async function permalink({ emulator }: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const response = await emulator.forward(request);
  if (!response.ok) return response;
  const { pathname, search } = new URL(stringOf(response, 'permalink'));
  return { ...response, permalink: `https://${TEAM.domain}.slack.com${pathname}${search}` };
}

async function react(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const { args, method, userId } = request;
  const channel = stringOf(args, 'channel');
  const ts = stringOf(args, 'timestamp');
  const response = await context.emulator.forward(request);
  if (!response.ok) return response;
  context.messages.changed(channel, ts, 'reaction');
  const type = method === 'reactions.add' ? 'reaction_added' : 'reaction_removed';
  const item = { type: 'message', channel, ts };
  const event = { type, user: userId, reaction: args['name'], item };
  context.events.background(event, { from: userId, channel });
  return response;
}

// Events about edits and deletions nest the messages and have no `user` field.
function sendHidden({ events, messages }: SlackContext, request: ApiRequest, event: Json): void {
  const { channel } = targetOf(request.args);
  const ts = messages.newTs();
  const base = { type: 'message', hidden: true, channel, ts, event_ts: ts };
  events.background({ ...base, ...event }, { from: request.userId });
}

async function previousMessage(context: SlackContext, { args }: ApiRequest) {
  const { channel, ts } = targetOf(args);
  if (!context.events.wants('message')) return undefined;
  const known = await context.directory.channel(channel);
  return known ? context.messages.read(channel, ts) : undefined;
}

function targetOf(args: Json): { channel: string; ts: string } {
  return { channel: stringOf(args, 'channel'), ts: stringOf(args, 'ts') };
}

function withBlockIds(args: Json): Json {
  const blocks = objectsOf(args, 'blocks');
  return blocks ? { ...args, blocks: withIdentifiers(blocks) } : args;
}
