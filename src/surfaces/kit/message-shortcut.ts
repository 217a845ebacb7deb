import type { MessageShortcut } from '@slack/bolt';
import type { Share } from '../../core/index.ts';
import { parseShare } from '../../slack/index.ts';
import { answer, askerOf, type Handler, respondInThread } from './answer.ts';
import { inNewModal } from './modals.ts';
import type { Doing } from './service-trouble.ts';
import type { Listen } from './surface-context.ts';

/** The message that a shortcut is called on. A `share` of null means that it has no files. */
export interface CalledOn {
  ts: string;
  share: Share | null;
}

interface ShortcutUse {
  /** Selects the wording of an error message. */
  doing: Doing;
  handle: Handler<CalledOn>;
  /**
   * The title of the modal that shows the answer, of at most 24 characters. Default: none, it is shown
   * where the message is read.
   */
  title?: string;
}

/** Answers a shortcut of a message's menu. */
export function onMessageShortcut(
  callbackId: string,
  { doing, handle, title }: ShortcutUse,
): Listen {
  return (app, context) => {
    const { identity } = context.workspace;
    const at = { type: 'message_action' as const, callback_id: callbackId };
    app.shortcut<MessageShortcut>(at, async ({ ack, shortcut, respond }) => {
      await ack();
      const { channel, message, message_ts: ts } = shortcut;
      const share = parseShare({ ...message, ts }, { ...identity, channel: channel.id });
      const asker = askerOf(shortcut, channel.id);
      // A reply that was also sent to the channel may be read there, where the thread isn't open.
      const isInChannel = message['subtype'] === 'thread_broadcast';
      const from = { ts, thread: isInChannel ? null : message['thread_ts'], respond };
      const inMessage = respondInThread(asker, from, context);
      const modal = { title: title ?? '', channel: channel.id, triggerId: shortcut.trigger_id };
      const inModal = title === undefined ? inMessage : inNewModal(modal, inMessage, context);
      const reply = { asker, respond: inModal, doing };
      await answer(reply, context, (asked) => handle(asked, { ts, share }, context));
    });
  };
}
