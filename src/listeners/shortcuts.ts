import type { App, MessageShortcut } from '@slack/bolt';
import type { Doing } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import type { ShareRow } from '../ledger/index.ts';
import { parseShare } from '../slack/index.ts';
import { may, type Share } from '../transfers/index.ts';
import { answer, askerOf, type Handler, readerOf, respondInThread } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { openSaveModal } from './save-files.ts';

/** The message that a shortcut is called on. A `share` of null means that it has no files. */
interface CalledOn {
  ts: string;
  share: Share | null;
}

/** Handles the message shortcuts "Where is this filed?" and "Save files to a folder". */
export function listenForShortcuts(app: App, context: ListenerContext): void {
  const { identity } = context.workspace;
  const on = (callback_id: string, doing: Doing, handle: Handler<CalledOn>) => {
    const at = { type: 'message_action' as const, callback_id };
    app.shortcut<MessageShortcut>(at, async ({ ack, shortcut, respond }) => {
      await ack();
      const { channel, message, message_ts: ts } = shortcut;
      const share = parseShare({ ...message, ts }, { ...identity, channel: channel.id });
      const asker = askerOf(shortcut, channel.id);
      // A reply that was also sent to the channel may be read there, where the thread isn't open.
      const isInChannel = message['subtype'] === 'thread_broadcast';
      const from = { ts, thread: isInChannel ? null : message['thread_ts'], respond };
      const reply = { asker, respond: respondInThread(asker, from, context), doing };
      await answer(reply, context, (asked) => handle(asked, { ts, share }, context));
    });
  };
  on('where_filed', 'list', showWhere);
  on('save_files', 'save', (asked, { share }) => openSaveModal(asked, share, context));
}

// Needs no access check: Slack itself names the message, so the person sees it.
const showWhere: Handler<CalledOn> = async (asked, { ts, share }, context) => {
  const { ledger, shareLineFor, findDestination } = context;
  const { team, channel } = asked;
  const shares = await sharesToShow(await ledger.sharesOf({ team, channel, ts }), context);
  const [first] = shares;
  if (!first) return share === null ? views.WITHOUT_FILES : views.notSeen(readerOf(asked));
  const mayRetry = may(asked, 'retry-share', first.userId);
  const hasFolder = (await findDestination(asked)) !== null;
  const reader = { ...readerOf(asked), hasFolder, mayRetry };
  const lines = await Promise.all(shares.map((one) => shareLineFor(one, reader)));
  return views.whereFiled({ lines, sharedBy: first.userId });
};

// Returns the shares that have a folder. A parked share is shown only if there is no other.
async function sharesToShow(
  shares: readonly ShareRow[],
  { ledger }: ListenerContext,
): Promise<readonly ShareRow[]> {
  const files = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  const placed = shares.filter((_, nth) => files[nth]?.some(({ destination }) => destination));
  return placed.length > 0 ? placed : shares.slice(0, 1);
}
