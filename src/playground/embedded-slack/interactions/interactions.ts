import type { AppRequest, Attempt } from '../app-connection/app-connection.ts';
import {
  type Choice,
  type ElementQuery,
  elementValue,
  findElement,
  stateValues,
} from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import { type Ephemeral, isJson, type Json, stringOf } from '../slack-types.ts';
import { APP, TEAM } from '../workspace-seed.ts';
import {
  findMessage,
  findSource,
  payloadName,
  type SourceQuery,
  userFields,
} from './interaction-source.ts';
import type { ResponseTarget, ResponseUrls } from './response-urls.ts';

/** The app's response to a user's action. */
export interface InteractionResult extends Attempt {
  /** Grows as the app responds, directly or through the `response_url`. */
  ephemerals: Ephemeral[];
}

interface CommandRequest {
  /** With its slash. */
  command: string;
  text?: string;
  user: string;
  channel: string;
}

type PressRequest = SourceQuery &
  ElementQuery & {
    user: string;
    /** The choice, for any element but a button; see `Choice`. */
    choice?: Choice;
  };

interface ShortcutRequest {
  callbackId: string;
  user: string;
  /** The message that it was used on; absent for a global shortcut. */
  message?: { channel: string; ts: string };
}

type SuggestRequest = SourceQuery & { user: string; actionId: string; typed: string };

/** What users do with the app (https://docs.slack.dev/reference/interaction-payloads). */
export interface Interactions {
  /** Types a command (https://docs.slack.dev/interactivity/implementing-slash-commands). */
  command(request: CommandRequest): Promise<InteractionResult>;
  press(request: PressRequest): Promise<InteractionResult>;
  shortcut(request: ShortcutRequest): Promise<InteractionResult>;
  /** Types `typed` into an external select; `body` has the options that the app returned. */
  suggest(request: SuggestRequest): Promise<Attempt>;
}

export function createInteractions(
  context: SlackContext,
  responseUrls: ResponseUrls,
): Interactions {
  const { app, clock, directory, views } = context;

  const send = async (
    type: AppRequest['type'],
    payload: Json,
    target?: ResponseTarget,
  ): Promise<InteractionResult> => {
    const url = target ? { response_url: responseUrls.issue(target) } : {};
    const attempt = await app.send({ type, payload: { ...payload, ...url } });
    return { ...attempt, ephemerals: target?.ephemerals ?? [] };
  };
  const actionTs = () => (clock.now() / 1000).toFixed(6);

  return {
    command: async ({ command, text = '', ...request }) => {
      const channel = await directory.channel(directory.channelId(request.channel));
      if (!channel) throw new Error(`There is no channel ${request.channel}`);
      const user = directory.userId(request.user);
      const target: ResponseTarget = { user, channel: channel.id, ephemerals: [] };
      const payload = {
        token: 'deprecated-verification-token',
        team_id: TEAM.id,
        team_domain: TEAM.domain,
        channel_id: channel.id,
        channel_name: payloadName(channel),
        user_id: user,
        user_name: directory.account(user),
        command,
        text,
        api_app_id: APP.id,
        is_enterprise_install: 'false',
        trigger_id: views.issueTrigger(user),
      };
      const result = await send('slash_commands', payload, target);
      if (!result.failure) await responseUrls.acknowledge(target, result.body);
      return result;
    },

    press: async (request) => {
      const { actionId, choice } = request;
      const source = await findSource(context, request);
      const { element, blockId } = findElement(source.blocks, request);
      const isButton = stringOf(element, 'type') === 'button';
      const value = isButton ? element : elementValue(element, choice);
      const action = { ...value, action_id: actionId, block_id: blockId, action_ts: actionTs() };
      const choices = choice === undefined ? {} : { [actionId]: choice };
      const state = { values: stateValues(source.blocks, choices) };
      const { view } = source.payload;
      const payload = {
        type: 'block_actions',
        ...userFields(directory, request.user),
        ...source.payload,
        // Slack puts a modal's state inside its view.
        ...(isJson(view) ? { view: { ...view, state } } : { state }),
        trigger_id: views.issueTrigger(directory.userId(request.user)),
        actions: [action],
      };
      return send('interactive', payload, source.target);
    },

    shortcut: async ({ user, callbackId, message: at }) => {
      const userId = directory.userId(user);
      const common = {
        ...userFields(directory, user),
        callback_id: callbackId,
        trigger_id: views.issueTrigger(userId),
        action_ts: actionTs(),
      };
      // A global shortcut tells no channel, and has no `response_url`.
      if (!at) return send('interactive', { type: 'shortcut', ...common });
      const { message, channel } = await findMessage(context, at);
      const payload = {
        type: 'message_action',
        ...common,
        channel: { id: channel.id, name: payloadName(channel) },
        message_ts: message.ts,
        message,
      };
      // A shortcut's `response_url` has no message of the app's that it could replace.
      return send('interactive', payload, { user: userId, channel: channel.id, ephemerals: [] });
    },

    suggest: async (request) => {
      const source = await findSource(context, request);
      const { blockId } = findElement(source.blocks, request);
      const payload = {
        type: 'block_suggestion',
        ...userFields(directory, request.user),
        ...source.payload,
        action_id: request.actionId,
        block_id: blockId,
        value: request.typed,
      };
      return app.send({ type: 'interactive', payload });
    },
  };
}
