import type { App, MessageShortcut } from '@slack/bolt';
import { notSeen, type View, whereFiled } from '../blocks/index.ts';
import { may } from '../transfers/index.ts';
import { type Asked, admit, answer } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/** "Where is this filed?", on a message. */
export function listenForShortcuts(app: App, context: ListenerContext): void {
  app.shortcut<MessageShortcut>(
    { type: 'message_action', callback_id: 'where_filed' },
    async ({ ack, shortcut, respond }) => {
      await ack();
      const { channel, user, message } = shortcut;
      const { team } = context.workspace.identity;
      const userTeam = user.team_id ?? shortcut.team?.id ?? null;
      const asker = { team, channel: channel.id, userId: user.id, userTeam };
      const at = { ts: shortcut.message_ts, hasFiles: hasFiles(message) };
      await answer({ respond, doing: 'list', by: user.id }, context, () =>
        admit(asker, context, (asked) => sayWhere(asked, at, context)),
      );
    },
  );
}

function hasFiles(message: MessageShortcut['message']): boolean {
  const files: unknown = message['files'];
  return Array.isArray(files) && files.length > 0;
}

// Who asks sees the message: Slack says which it is.
async function sayWhere(
  asked: Asked,
  { ts, hasFiles }: { ts: string; hasFiles: boolean },
  { ledger, sayShare }: ListenerContext,
): Promise<View> {
  const { team, channel } = asked;
  const share = await ledger.findShareOf({ team, channel, ts });
  if (!share) return notSeen({ hasFiles });
  const mayRetry = may(asked, 'retry-share', share.userId);
  return whereFiled({ line: await sayShare(share), sharedBy: share.userId, mayRetry });
}
