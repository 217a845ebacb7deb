import type { App, MessageShortcut, RespondFn } from '@slack/bolt';
import { type Doing, notSeen, type View, whereFiled, withoutFiles } from '../blocks/index.ts';
import type { ShareRow } from '../ledger/index.ts';
import { parseShare } from '../slack/index.ts';
import { may, type Share } from '../transfers/index.ts';
import { type Asked, answer, askerOf, readerOf } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { openSaveModal } from './save-modal.ts';

/** "Where is this filed?" and "Save files to a folder", on a message. */
export function listenForShortcuts(app: App, context: ListenerContext): void {
  const on = (at: MessageAction, does: { doing: Doing; handle: Handle }) =>
    app.shortcut<MessageShortcut>(at, async ({ ack, shortcut, respond }) => {
      await ack();
      await answerOn(shortcut, { ...does, respond }, context);
    });
  on({ type: 'message_action', callback_id: 'where_filed' }, { doing: 'list', handle: sayWhere });
  on({ type: 'message_action', callback_id: 'save_files' }, { doing: 'save', handle: openSave });
}

interface MessageAction {
  type: 'message_action';
  callback_id: string;
}

const openSave: Handle = ({ asked, share }, context) => openSaveModal(asked, share, context);

/** Who calls a shortcut, on which message; `share` null: it has no files. */
interface CalledOn {
  asked: Asked;
  ts: string;
  share: Share | null;
}

type Handle = (called: CalledOn, context: ListenerContext) => Promise<View | null>;

async function answerOn(
  shortcut: MessageShortcut,
  { doing, handle, respond }: { doing: Doing; handle: Handle; respond: RespondFn },
  context: ListenerContext,
): Promise<void> {
  const { channel, message, message_ts: ts } = shortcut;
  const { identity } = context.workspace;
  const asker = askerOf(shortcut, channel.id, context);
  const share = parseShare({ ...message, ts }, { ...identity, channel: channel.id });
  await answer({ asker, respond, doing }, context, (asked) =>
    handle({ asked, ts, share }, context),
  );
}

// Who asks sees the message: Slack says which it is.
const sayWhere: Handle = async ({ asked, ts, share }, { ledger, sayShare }) => {
  const { team, channel } = asked;
  const shares = await told(await ledger.sharesOf({ team, channel, ts }), { ledger });
  const [first] = shares;
  if (!first) return share === null ? withoutFiles() : notSeen(readerOf(asked));
  const mayRetry = may(asked, 'retry-share', first.userId);
  const reader = readerOf(asked);
  const lines = await Promise.all(shares.map((one) => sayShare(one, reader)));
  return whereFiled({ lines, sharedBy: first.userId, mayRetry });
};

// What waits for the channel's folder is told where nothing was saved to another.
async function told(
  shares: readonly ShareRow[],
  { ledger }: Pick<ListenerContext, 'ledger'>,
): Promise<readonly ShareRow[]> {
  const files = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  const isPlaced = (nth: number) => files[nth]?.some(({ destination }) => destination !== null);
  const placed = shares.filter((_share, nth) => isPlaced(nth));
  return placed.length > 0 ? placed : shares.slice(0, 1);
}
