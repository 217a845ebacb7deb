import type { Channel, Directory } from '../directory.ts';
import type { Ephemeral } from '../ephemerals.ts';
import type { Messages } from '../messages.ts';
import type { Screens } from '../screens.ts';
import type { Json, SlackMessage } from '../slack-shapes.ts';
import { nameOf } from './actor.ts';
import { ElementGone } from './block-elements.ts';
import type { ResponsePlace } from './response-urls.ts';
import type { Trigger } from './triggers.ts';

/** Where a person pressed: a message in a channel, an ephemeral message, or a view (its id). */
export type PressedIn =
  | { message: { channel: string; ts: string } }
  | { ephemeral: Ephemeral }
  | { view: string };

/** Where an interaction happens: the blocks shown there, and what the payload says about it. */
export interface Scene {
  blocks: Json[];
  payload: Json;
  trigger: Trigger;
  place: ResponsePlace | undefined;
}

export interface SceneParts {
  directory: Directory;
  messages: Messages;
  screens: Screens;
}

export async function sceneOf(
  parts: SceneParts,
  request: PressedIn & { user: string },
): Promise<Scene> {
  const userId = parts.directory.userId(request.user);
  if ('view' in request) return viewScene(parts, request.view, userId);
  if ('ephemeral' in request) return ephemeralScene(parts, request.ephemeral, userId);
  const { message, channel } = await messageAt(parts, request.message);
  const container = { type: 'message', message_ts: message.ts, channel_id: channel.id };
  const thread = message.thread_ts ? { thread_ts: message.thread_ts } : {};
  return {
    blocks: message.blocks ?? [],
    trigger: { userId },
    place: { user: userId, channel: channel.id, original: message.ts, ephemerals: [] },
    payload: {
      container: { ...container, is_ephemeral: false, ...thread },
      channel: { id: channel.id, name: nameOf(channel) },
      message,
    },
  };
}

// Slack need not send an ephemeral message's content: only the container identifies it.
async function ephemeralScene(
  parts: SceneParts,
  ephemeral: Ephemeral,
  userId: string,
): Promise<Scene> {
  const channel = await parts.directory.channel(ephemeral.channel);
  const container = { type: 'message', message_ts: ephemeral.ts, channel_id: ephemeral.channel };
  return {
    blocks: ephemeral.blocks,
    trigger: { userId },
    place: { user: userId, channel: ephemeral.channel, original: ephemeral, ephemerals: [] },
    payload: {
      container: { ...container, is_ephemeral: true },
      channel: { id: ephemeral.channel, name: channel ? nameOf(channel) : '' },
    },
  };
}

function viewScene({ screens }: SceneParts, viewId: string, userId: string): Scene {
  const view = screens.find(viewId)?.view;
  if (!view) throw new ElementGone(`There is no view ${viewId}`);
  return {
    blocks: view.blocks,
    trigger: { userId, viewId },
    place: undefined,
    payload: { container: { type: 'view', view_id: viewId }, view },
  };
}

/** Resolves with the message and its channel; rejects with `ElementGone` if there is none. */
export async function messageAt(
  { directory, messages }: SceneParts,
  { channel, ts }: { channel: string; ts: string },
): Promise<{ message: SlackMessage; channel: Channel }> {
  const found = await directory.channel(directory.channelId(channel));
  const message = found && (await messages.read(found.id, ts));
  if (!found || !message) throw new ElementGone(`There is no message ${ts} in ${channel}`);
  return { message, channel: found };
}
