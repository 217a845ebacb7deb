import { ElementGone } from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import type { Channel, Directory } from '../directory.ts';
import { type Ephemeral, type Json, objectsOf, type SlackMessage } from '../slack-types.ts';
import { APP, TEAM } from '../workspace-seed.ts';
import type { ResponseTarget } from './response-urls.ts';

/**
 * What a user acts in: a message in a channel, or its unfurl of an address; an ephemeral message; or
 * a view (its id).
 */
export type SourceQuery =
  | { message: { channel: string; ts: string /** The address of its unfurl. */; unfurl?: string } }
  | { ephemeral: Ephemeral }
  | { view: string };

/** Where an interaction comes from: the blocks shown there, and what the payload says about it. */
interface InteractionSource {
  blocks: Json[];
  payload: Json;
  /** Where a response through the `response_url` appears; a view has none. */
  target?: ResponseTarget;
}

/** Rejects with `ElementGone` if the message or view does not exist. */
export async function findSource(
  context: SlackContext,
  request: SourceQuery & { user: string },
): Promise<InteractionSource> {
  if ('view' in request) return viewSource(context, request.view);
  const userId = context.directory.userId(request.user);
  if ('ephemeral' in request) return ephemeralSource(context, request.ephemeral, userId);
  const { message, channel } = await findMessage(context, request.message);
  const { unfurl } = request.message;
  if (unfurl !== undefined) return unfurlSource({ message, channel, userId, unfurl });
  const container = { type: 'message', message_ts: message.ts, channel_id: channel.id };
  const thread = message.thread_ts ? { thread_ts: message.thread_ts } : {};
  return {
    blocks: message.blocks ?? [],
    target: { user: userId, channel: channel.id, original: message.ts, ephemerals: [] },
    payload: {
      container: { ...container, is_ephemeral: false, ...thread },
      channel: { id: channel.id, name: payloadName(channel) },
      message,
    },
  };
}

// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
function unfurlSource(within: {
  message: SlackMessage;
  channel: Channel;
  userId: string;
  unfurl: string;
}): InteractionSource {
  const { message, channel, userId, unfurl } = within;
  const found = message.attachments?.find(({ from_url }) => from_url === unfurl);
  if (!found) throw new ElementGone(`The message ${message.ts} has no unfurl of ${unfurl}`);
  return {
    blocks: objectsOf(found, 'blocks') ?? [],
    target: { user: userId, channel: channel.id, ephemerals: [] },
    payload: {
      container: {
        type: 'message_attachment',
        message_ts: message.ts,
        channel_id: channel.id,
        attachment_id: found['id'],
        is_ephemeral: false,
        is_app_unfurl: true,
        app_unfurl_url: unfurl,
      },
      channel: { id: channel.id, name: payloadName(channel) },
      app_unfurl: found,
    },
  };
}

// Slack need not send an ephemeral message's content: only the container identifies it.
async function ephemeralSource(
  { directory }: SlackContext,
  ephemeral: Ephemeral,
  userId: string,
): Promise<InteractionSource> {
  const { ts, channel: id, blocks } = ephemeral;
  const channel = await directory.channel(id);
  return {
    blocks,
    target: { user: userId, channel: id, original: ephemeral, ephemerals: [] },
    payload: {
      container: { type: 'message', message_ts: ts, channel_id: id, is_ephemeral: true },
      channel: { id, name: channel ? payloadName(channel) : '' },
    },
  };
}

function viewSource({ views }: SlackContext, viewId: string): InteractionSource {
  const view = views.find(viewId);
  if (!view) throw new ElementGone(`There is no view ${viewId}`);
  return {
    blocks: view.blocks,
    payload: { container: { type: 'view', view_id: viewId }, view },
  };
}

/** Resolves with the message and its channel; rejects with `ElementGone` if there is none. */
export async function findMessage(
  { directory, messages }: SlackContext,
  { channel, ts }: { channel: string; ts: string },
): Promise<{ message: SlackMessage; channel: Channel }> {
  const found = await directory.channel(directory.channelId(channel));
  const message = found && (await messages.read(found.id, ts));
  if (!found || !message) throw new ElementGone(`There is no message ${ts} in ${channel}`);
  return { message, channel: found };
}

/** Returns the fields of every interaction payload that say who acted in which workspace. */
export function userFields(directory: Directory, user: string): Json {
  const id = directory.userId(user);
  const name = directory.account(id);
  return {
    user: { id, username: name, name, team_id: directory.teamOf(id) },
    team: { id: TEAM.id, domain: TEAM.domain },
    api_app_id: APP.id,
    token: 'deprecated-verification-token',
    enterprise: null,
    is_enterprise_install: false,
  };
}

/** Returns a channel's name as in the payloads of commands and interactions. */
export function payloadName({ type, name }: Channel): string {
  if (type === 'im') return 'directmessage';
  return type === 'group' ? 'privategroup' : name;
}
