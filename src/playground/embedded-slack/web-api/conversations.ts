import type { SlackContext } from '../context.ts';
import type { Channel } from '../directory.ts';
import {
  errorResponse,
  isTrue,
  objectOf,
  objectsOf,
  type SlackResponse,
  stringOf,
} from '../slack-types.ts';
import { APP, TEAM } from '../workspace-seed.ts';
import {
  type ApiMethod,
  type ApiMethods,
  type ApiRequest,
  channelFor,
  pageOf,
} from './api-method.ts';

const CHANNEL_LETTERS = { channel: 'C', group: 'G', im: 'D' };

/** Channel and user methods: the emulator's, with the fields, paging and events of Slack. */
export function conversationMethods(context: SlackContext): ApiMethods {
  return {
    'conversations.info': (request) => info(context, request),
    'conversations.members': (request) => members(context, request),
    'users.conversations': (request) => conversationsOf(context, request),
    'users.info': (request) => userInfo(context, request),
    'bots.info': (request) => botInfo(context, request),
    'conversations.join': membership(context, 'member_joined_channel'),
    'conversations.invite': membership(context, 'member_joined_channel'),
    'conversations.leave': membership(context, 'member_left_channel'),
    'conversations.kick': membership(context, 'member_left_channel'),
    'conversations.open': refreshing(context),
    'conversations.create': refreshing(context),
    'conversations.rename': refreshing(context),
    'conversations.archive': refreshing(context),
    'conversations.unarchive': refreshing(context),
  };
}

async function info(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const { emulator, directory } = context;
  const known = await directory.channel(stringOf(request.args, 'channel'));
  const response = await emulator.forward(request);
  const channel = objectOf(response, 'channel');
  if (!known || !channel) return errorResponse('channel_not_found');
  return { ok: true, channel: { ...channel, ...sharing(), ...known.extras } };
}

async function members(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const channel = await channelFor(context.directory, request);
  if (typeof channel === 'string' && channel !== 'not_in_channel') return errorResponse(channel);
  const found = await context.directory.channel(stringOf(request.args, 'channel'));
  const { page, next_cursor } = pageOf(found?.members ?? [], request.args, 1000);
  return { ok: true, members: page, response_metadata: { next_cursor } };
}

async function conversationsOf(context: SlackContext, request: ApiRequest) {
  const { args, account } = request;
  const user = stringOf(args, 'user') || request.userId;
  const query = { types: args['types'] ?? 'public_channel', limit: 1000 };
  const response = await context.emulator.call('conversations.list', query, account);
  const found = [];
  for (const channel of objectsOf(response, 'channels') ?? []) {
    const known = await context.directory.channel(stringOf(channel, 'id'));
    if (!known?.members.includes(user)) continue;
    if (isTrue(args['exclude_archived']) && channel['is_archived'] === true) continue;
    found.push({ ...channel, ...sharing(), ...known.extras });
  }
  const { page, next_cursor } = pageOf(found, args, 999);
  return { ok: true, channels: page, response_metadata: { next_cursor } };
}

// The emulator's response lacks the bot's `app_id`.
async function botInfo({ emulator }: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const response = await emulator.forward(request);
  const bot = objectOf(response, 'bot');
  return bot && stringOf(bot, 'id') === APP.botId
    ? { ...response, bot: { ...bot, app_id: APP.id } }
    : response;
}

async function userInfo({ emulator, directory }: SlackContext, request: ApiRequest) {
  const response = await emulator.forward(request);
  const user = objectOf(response, 'user');
  if (!user) return response;
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

function refreshing({ emulator, directory }: SlackContext): ApiMethod {
  return async (request) => {
    const response = await emulator.forward(request);
    directory.refresh();
    return response;
  };
}

// Comparing the members before and after works for all four methods.
function membership(context: SlackContext, type: string): ApiMethod {
  return async (request) => {
    const { emulator, directory, events, changes } = context;
    const id = stringOf(request.args, 'channel');
    const before = await directory.channel(id);
    const response = await emulator.forward(request);
    directory.refresh();
    const after = await directory.channel(id);
    for (const user of response.ok && after ? difference(before, after) : []) {
      const event = { type, user, channel: id, channel_type: CHANNEL_LETTERS[after?.type ?? 'im'] };
      const inviter = type === 'member_joined_channel' ? { inviter: request.userId } : {};
      events.background({ ...event, team: TEAM.id, ...inviter });
      if (user === APP.userId && type === 'member_left_channel') botLeft(context, request, after);
    }
    changes.notify('member');
    return response;
  };
}

function botLeft({ events }: SlackContext, { userId }: ApiRequest, channel?: Channel): void {
  const type = channel?.type === 'group' ? 'group_left' : 'channel_left';
  events.background({ type, channel: channel?.id, actor_id: userId }, { evenIfNoMember: true });
}

function difference(before: Channel | undefined, after: Channel): string[] {
  const was = before?.members ?? [];
  const joined = after.members.filter((member) => !was.includes(member));
  const left = was.filter((member) => !after.members.includes(member));
  return [...joined, ...left];
}
