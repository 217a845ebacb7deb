import type {
  App,
  BlockAction,
  ButtonAction,
  ConversationsSelectAction,
  OverflowAction,
  StaticSelectAction,
  types,
} from '@slack/bolt';
import { answer, askerOf, type Handler, respondInThread, type StagedView } from './answer.ts';
import { inHomeOf, NOWHERE } from './app-home.ts';
import { type Action, chosenChannel, chosenValue } from './claims.ts';
import type { View } from './layout.ts';
import { inModalOf, inOpenModal, placeOf } from './modals.ts';
import { buttonOutOfDate, DONE } from './refusals.ts';
import type { Doing } from './service-trouble.ts';
import type { Listen, SurfaceContext } from './surface-context.ts';

/** What a button does with its claim, which is unchecked input. */
interface Press<T> {
  doing: Doing;
  /** Whether the answer replaces the message with the button. Default: true. */
  replace?: false;
  handle: Handler<T, StagedView | null>;
  /** Whether the button is also in the App Home, which then shows the answer. */
  inHome?: true;
  /** Makes the modal that shows the answer, if the button is in one; `claim`: what it carries. */
  inModal?: (answer: View, claim: T) => types.ModalView;
  /** The command that shows such buttons. Default: `/files`. */
  command?: string;
}

/** Does the same at a press of any of these buttons and menus. */
export function onPress<T>(actions: readonly Action<T>[], press: Press<T>): Listen {
  return (app, context) => {
    for (const action of actions) listenFor(app, action, { ...press, context });
  };
}

/** Acknowledges a press at once, reads its claim, identifies the person and answers privately. */
function listenFor<T>(
  app: App,
  action: Action<T>,
  { context, ...press }: Press<T> & { context: SurfaceContext },
): void {
  app.action<BlockAction<Pressed>>(
    { type: 'block_actions', action_id: action.id },
    async ({ ack, body, payload, respond }) => {
      await ack();
      const { doing, replace = true, handle, inHome = false, inModal, command } = press;
      const { view } = body;
      const isHome = view?.type === 'home';
      const modal = view?.type === 'modal' && inModal ? view : null;
      const form = view && !isHome && !modal ? placeOf(view) : null;
      const isNowhere = (isHome && inHome) || modal;
      const channel = isNowhere ? NOWHERE : (form?.channel ?? channelIn(body));
      const claim = typeof channel === 'string' ? action.read(claimedBy(payload)) : null;
      if (claim === null)
        context.logger.warn({ action: action.id }, 'A button with an unknown value was pressed');
      const isElsewhere = form?.isElsewhere ?? false;
      const { message_ts: ts, thread_ts: threadTs } = body.container ?? {};
      const thread = typeof threadTs === 'string' && threadTs !== ts ? threadTs : undefined;
      const asker = { ...askerOf(body, String(channel)), isElsewhere, thread };
      const reply = {
        asker,
        respond: isHome
          ? inHomeOf(body.user.id, context)
          : modal && claim !== null && inModal
            ? inModalOf(modal.id, (view) => inModal(view, claim), context)
            : view
              ? inOpenModal(view, context)
              : respondInThread(asker, { ts, thread, respond }, context),
        ...{ doing, replace: replace && claim !== null },
      };
      // What a message or a line shows by itself is not seen from a modal.
      const silent = form ? DONE : null;
      await answer(reply, context, async (asked) =>
        claim === null
          ? buttonOutOfDate({ command })
          : ((await handle(asked, claim, context)) ?? silent),
      );
    },
  );
}

type Pressed = ButtonAction | StaticSelectAction | OverflowAction | ConversationsSelectAction;

function claimedBy(pressed: Pressed): unknown {
  if ('selected_conversation' in pressed)
    return chosenChannel(pressed.block_id, pressed.selected_conversation);
  if (!('selected_option' in pressed)) return pressed.value;
  return chosenValue(pressed.block_id, pressed.selected_option.value ?? '');
}

function channelIn({ channel, container }: BlockAction): unknown {
  return channel?.id ?? container?.['channel_id'];
}
