import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { type ActionId, type ButtonValue, buttonOutOfDate, type Doing } from '../blocks/index.ts';
import { answer, type StagedView } from './answer.ts';
import { type Asked, admit } from './asked.ts';
import type { ListenerContext } from './listener-context.ts';
import { pressedBy } from './pressed.ts';

export interface PressHandler<T> {
  action: ActionId;
  doing: Doing;
  /** Whether the answer takes the place of the message with the button. */
  replace: boolean;
  value: ButtonValue<T>;
  handle: (pressed: Asked, value: T, context: ListenerContext) => Promise<StagedView | null>;
}

/** Acknowledges a button at once, reads its claim, asks who pressed it, and answers privately. */
export function onPress<T>(app: App, context: ListenerContext, handler: PressHandler<T>): void {
  const { action, doing, replace } = handler;
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: action },
    async ({ ack, body, payload, respond }) => {
      await ack();
      const pressed = pressedBy(body, context);
      const value = handler.value.read(payload.value);
      if (!pressed || value === null) {
        context.logger.warn({ action }, 'A button with an unknown value was pressed');
        await answer({ respond, doing, by: body.user.id }, context, async () => buttonOutOfDate());
        return;
      }
      await answer({ respond, doing, by: pressed.userId, replace }, context, (own) =>
        admit(pressed, own, (asked) => handler.handle(asked, value, own)),
      );
    },
  );
}
