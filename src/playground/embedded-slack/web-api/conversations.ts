import type { Channel, Directory } from '../directory.ts';
import type { Emulator } from '../emulator.ts';
import { APP, TEAM } from '../people.ts';
import {
  isTrue,
  objectOf,
  objectsOf,
  refusal,
  type SlackAnswer,
  stringOf,
} from '../slack-shapes.ts';
import type { Events } from '../to-app/events.ts';
import {
  type ApiMethod,
  type ApiMethods,
  type ApiRequest,
  channelFor,
  pageOf,
} from './api-method.ts';

const CHANNEL_LETTERS = { channel: 'C', group: 'G', im: 'D' };

interface ConversationParts {
  emulator: Emulator;
  directory: Directory;
  events: Events;
}

/** Channel and user methods: the emulator's, with the fields, paging and events of Slack. */
export function conversationMethods(parts: ConversationParts): ApiMethods {
  return {
    'conversations.info': (request) => info(parts, request),
    'conversations.members': (request) => members(parts, request),
    'users.conversations': (request) => conversationsOf(parts, request),
    'users.info': (request) => userInfo(parts, request),
    'bots.info': (request) => botInfo(parts, request),
    'conversations.join': membership(parts, 'member_joined_channel'),
    'conversations.invite': membership(parts, 'member_joined_channel'),
    'conversations.leave': membership(parts, 'member_left_channel'),
    'conversations.kick': membership(parts, 'member_left_channel'),
    'conversations.open': forgetting(parts),
    'conversations.create': forgetting(parts),
    'conversations.rename': forgetting(parts),
    'conversations.archive': forgetting(parts),
    'conversations.unarchive': forgetting(parts),
  };
}

async function info(parts: ConversationParts, request: ApiRequest): Promise<SlackAnswer> {
  const { emulator, directory } = parts;
  const known = await directory.channel(stringOf(request.args, 'channel'));
  const answer = await emulator.call('conversations.info', request.args, request.account);
  const channel = objectOf(answer, 'channel');
  if (!known || !channel) return refusal('channel_not_found');
  return { ok: true, channel: { ...channel, ...sharing(), ...known.extras } };
}

async function members(parts: ConversationParts, request: ApiRequest): Promise<SlackAnswer> {
  const channel = await channelFor(parts.directory, request);
  if (typeof channel === 'string' && channel !== 'not_in_channel') return refusal(channel);
  const found = await parts.directory.channel(stringOf(request.args, 'channel'));
  const { page, next_cursor } = pageOf(found?.members ?? [], request.args, 1000);
  return { ok: true, members: page, response_metadata: { next_cursor } };
}

async function conversationsOf(parts: ConversationParts, request: ApiRequest) {
  const { args, account } = request;
  const user = stringOf(args, 'user') || request.userId;
  const query = { types: args['types'] ?? 'public_channel', limit: 1000 };
  const answer = await parts.emulator.call('conversations.list', query, account);
  const found = [];
  for (const channel of objectsOf(answer, 'channels') ?? []) {
    const known = await parts.directory.channel(stringOf(channel, 'id'));
    if (!known?.members.includes(user)) continue;
    if (isTrue(args['exclude_archived']) && channel['is_archived'] === true) continue;
    found.push({ ...channel, ...sharing(), ...known.extras });
  }
  const { page, next_cursor } = pageOf(found, args, 999);
  return { ok: true, channels: page, response_metadata: { next_cursor } };
}

// The emulator's response lacks the bot's `app_id`.
async function botInfo({ emulator }: ConversationParts, request: ApiRequest): Promise<SlackAnswer> {
  const answer = await emulator.call('bots.info', request.args, request.account);
  const bot = objectOf(answer, 'bot');
  return bot && stringOf(bot, 'id') === APP.botId
    ? { ...answer, bot: { ...bot, app_id: APP.id } }
    : answer;
}

async function userInfo({ emulator, directory }: ConversationParts, request: ApiRequest) {
  const answer = await emulator.call('users.info', request.args, request.account);
  const user = objectOf(answer, 'user');
  if (!user) return answer;
  const rights = {
    is_owner: false,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_stranger: false,
  };
  const id = stringOf(user, 'id');
  const team_id = directory.teamOf(id);
  return { ok: true, user: { ...rights, ...user, team_id, ...directory.userExtras(id) } };
}

function sharing() {
  return { is_shared: false, is_ext_shared: false, is_org_shared: false, context_team_id: TEAM.id };
}

function forgetting({ emulator, directory }: ConversationParts): ApiMethod {
  return async ({ method, args, account }) => {
    const answer = await emulator.call(method, args, account);
    directory.refresh();
    return answer;
  };
}

// Comparing the members before and after works for all four methods.
function membership(parts: ConversationParts, type: string): ApiMethod {
  return async (request) => {
    const { emulator, directory, events } = parts;
    const id = stringOf(request.args, 'channel');
    const before = await directory.channel(id);
    const answer = await emulator.call(request.method, request.args, request.account);
    directory.refresh();
    const after = await directory.channel(id);
    for (const user of answer.ok && after ? difference(before, after) : []) {
      const event = { type, user, channel: id, channel_type: CHANNEL_LETTERS[after?.type ?? 'im'] };
      const inviter = type === 'member_joined_channel' ? { inviter: request.userId } : {};
      events.background({ ...event, team: TEAM.id, ...inviter });
      if (user === APP.userId && type === 'member_left_channel') botLeft(parts, request, after);
    }
    events.noticed({ what: 'member', channel: id });
    return answer;
  };
}

function botLeft({ events }: ConversationParts, { userId }: ApiRequest, channel?: Channel): void {
  const type = channel?.type === 'group' ? 'group_left' : 'channel_left';
  events.background({ type, channel: channel?.id, actor_id: userId }, { evenIfNoMember: true });
}

function difference(before: Channel | undefined, after: Channel): string[] {
  const was = before?.members ?? [];
  const joined = after.members.filter((member) => !was.includes(member));
  const left = was.filter((member) => !after.members.includes(member));
  return [...joined, ...left];
}
