import type { Clock } from '../../../base/index.ts';
import type { Ephemeral } from '../ephemerals.ts';
import { isJson, type Json, stringOf } from '../slack-shapes.ts';
import type { AppLine, Attempt } from '../to-app/app-line.ts';
import { actorOf, nameOf } from './actor.ts';
import { findElement, type SoughtElement } from './block-elements.ts';
import { type Choice, choiceIn, stateValues } from './element-values.ts';
import {
  messageAt,
  type PressedIn,
  type Scene,
  type SceneParts,
  sceneOf,
} from './interaction-scene.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Triggers } from './triggers.ts';

type PressRequest = PressedIn &
  SoughtElement & {
    user: string;
    /** The choice, for any element but a button; see `Choice`. */
    choice?: Choice;
  };

/** The app's response to a person's action. */
export interface Reaction extends Attempt {
  /** Grows as the app responds, directly or through the `response_url`. */
  ephemerals: Ephemeral[];
}

interface InteractionParts extends SceneParts {
  clock: Clock;
  responseUrls: ResponseUrls;
  triggers: Triggers;
  line: AppLine;
}

interface ShortcutRequest {
  callbackId: string;
  user: string;
  /** The message it was used on; without one, it is a global shortcut. */
  message?: { channel: string; ts: string };
}

/** What people do with the app's messages (https://docs.slack.dev/reference/interaction-payloads). */
export interface Interactions {
  press(request: PressRequest): Promise<Reaction>;
  shortcut(request: ShortcutRequest): Promise<Reaction>;
  /** Types `typed` into an external select; `body` has the options that the app returned. */
  suggest(request: PressedIn & { user: string; actionId: string; typed: string }): Promise<Attempt>;
}

export function createInteractions(parts: InteractionParts): Interactions {
  return {
    press: (request) => press(parts, request),
    shortcut: (request) => shortcut(parts, request),
    suggest: (request) => suggest(parts, request),
  };
}

async function press(parts: InteractionParts, request: PressRequest): Promise<Reaction> {
  const { actionId, choice } = request;
  const scene = await sceneOf(parts, request);
  const { element, ...at } = findElement(scene.blocks, request);
  const made = stringOf(element, 'type') === 'button' ? element : choiceIn(element, choice);
  const action = {
    ...made,
    action_id: actionId,
    block_id: at.blockId,
    action_ts: (parts.clock.now() / 1000).toFixed(6),
  };
  const chosen = choice === undefined ? {} : { [actionId]: choice };
  const state = { values: stateValues(scene.blocks, chosen) };
  const { view } = scene.payload;
  return react(parts, scene, {
    type: 'block_actions',
    ...actorOf(parts.directory, request.user),
    ...scene.payload,
    // Slack puts a modal's state inside its view.
    ...(isJson(view) ? { view: { ...view, state } } : { state }),
    trigger_id: parts.triggers.issue(scene.trigger),
    actions: [action],
  });
}

async function suggest(
  parts: InteractionParts,
  request: PressedIn & { user: string; actionId: string; typed: string },
): Promise<Attempt> {
  const scene = await sceneOf(parts, request);
  const { blockId } = findElement(scene.blocks, request);
  const payload = {
    type: 'block_suggestion',
    ...actorOf(parts.directory, request.user),
    ...scene.payload,
    action_id: request.actionId,
    block_id: blockId,
    value: request.typed,
  };
  return parts.line.send({ type: 'interactive', payload });
}

async function shortcut(parts: InteractionParts, request: ShortcutRequest): Promise<Reaction> {
  const { directory, triggers } = parts;
  const userId = directory.userId(request.user);
  const common = {
    ...actorOf(directory, request.user),
    callback_id: request.callbackId,
    trigger_id: triggers.issue({ userId }),
    action_ts: (parts.clock.now() / 1000).toFixed(6),
  };
  if (!request.message) {
    return react(parts, { place: undefined }, { type: 'shortcut', ...common });
  }
  const { message, channel } = await messageAt(parts, request.message);
  // A shortcut's `response_url` has no message of the app's that it could replace.
  const place = { user: userId, channel: channel.id, ephemerals: [] };
  return react(
    parts,
    { place },
    {
      type: 'message_action',
      ...common,
      channel: { id: channel.id, name: nameOf(channel) },
      message_ts: message.ts,
      message,
    },
  );
}

async function react(
  parts: InteractionParts,
  { place }: Pick<Scene, 'place'>,
  payload: Json,
): Promise<Reaction> {
  const url = place ? { response_url: parts.responseUrls.issue(place) } : {};
  const sent = { type: 'interactive' as const, payload: { ...payload, ...url } };
  return { ...(await parts.line.send(sent)), ephemerals: place?.ephemerals ?? [] };
}
