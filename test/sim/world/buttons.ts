import {
  type Ephemeral,
  isDirect,
  type Json,
  type SlackChannel,
  type SlackMessage,
  type SlackState,
} from '../slack/slack-state.ts';

/** A button that somebody can press, or a choice in a menu. */
export interface Button {
  actionId: string;
  value: string;
  /** What Slack sends of it, besides its identifiers. */
  sent: Json;
  blockId: string;
  on:
    | { ephemeral: Ephemeral }
    | { home: Ephemeral }
    | { channel: SlackChannel; message: SlackMessage };
}

/**
 * Returns all buttons that the app has shown anywhere, newest last in each place, and direct
 * messages before channels.
 */
export function allButtons({ ephemerals, homes, channels }: SlackState): Button[] {
  const shown = ephemerals.flatMap((one) => buttonsOf(one.blocks, { ephemeral: one }));
  const atHome = [...homes.values()].flatMap((one) => buttonsOf(one.blocks, { home: one }));
  const inPlaces = [...channels.values()].sort((a, b) => Number(isDirect(b)) - Number(isDirect(a)));
  const posted = inPlaces.flatMap((channel) =>
    channel.messages
      .filter(({ own }) => own)
      .flatMap((message) => buttonsOf(message.blocks, { channel, message })),
  );
  return [...shown, ...atHome, ...posted];
}

export function buttonsOf(blocks: readonly Json[], on: Button['on']): Button[] {
  return blocks.flatMap((block, nth) => {
    const blockId = String(block['block_id'] ?? `b${nth}`);
    const elements = [
      ...((block['elements'] ?? []) as Json[]),
      ...(block['accessory'] ? [block['accessory'] as Json] : []),
    ];
    return elements.flatMap(pressable).map((one) => ({ ...one, blockId, on }));
  });
}

function pressable(element: Json): Pick<Button, 'actionId' | 'value' | 'sent'>[] {
  const actionId = String(element['action_id']);
  if (element['type'] === 'button') {
    const value = String(element['value'] ?? '');
    return [{ actionId, value, sent: { type: 'button', value } }];
  }
  if (element['type'] !== 'static_select') return [];
  return ((element['options'] ?? []) as Json[]).map((option) => ({
    actionId,
    value: String(option['value']),
    sent: { type: 'static_select', selected_option: option },
  }));
}

/** Returns where a button is, in the form that Slack sends with a press. */
export function placeOf({ on }: Button): Json {
  if ('home' in on)
    return { container: { type: 'view', view_id: 'VHOME' }, view: { id: 'VHOME', type: 'home' } };
  const channel = 'ephemeral' in on ? on.ephemeral.channel : on.channel.id;
  const message = 'message' in on ? { ts: on.message.ts, blocks: on.message.blocks } : null;
  const thread = 'message' in on && on.message.threadTs ? { thread_ts: on.message.threadTs } : {};
  return {
    channel: { id: channel },
    container: { type: 'message', channel_id: channel, message_ts: message?.ts, ...thread },
    ...(message ? { message } : {}),
  };
}
