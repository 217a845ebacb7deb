import type { App } from '@slack/bolt';
import { expect, it } from 'vitest';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { listenForShortcuts } from '../../src/listeners/shortcuts.ts';

/** Asks where a reply in a thread is filed. Returns where the answer is shown. */
async function answerTo(reply: object): Promise<string[]> {
  const shown: string[] = [];
  const workspace: Partial<ListenerContext['workspace']> = {
    isClosedTo: async () => false,
    identity: { team: 'T1', botUserId: 'U0', botId: undefined },
    actor: async (userId) => ({ userId, role: 'member' }),
    postEphemeral: async () => void shown.push('thread'),
  };
  const ledger: Partial<ListenerContext['ledger']> = { sharesOf: async () => [] };
  const context = {
    ...{ workspace, ledger, linkBy: 'admins' },
    quota: { take: () => ({ end: () => undefined }) },
  } as Partial<ListenerContext> as ListenerContext;
  const shortcuts = new Map<string, (given: object) => Promise<void>>();
  const shortcut = ({ callback_id: id }: { callback_id: string }, listener: never) =>
    void shortcuts.set(id, listener);
  listenForShortcuts({ shortcut } as Partial<App> as App, context);
  await shortcuts.get('where_filed')?.({
    ack: async () => undefined,
    respond: async () => void shown.push('channel'),
    shortcut: {
      ...{ channel: { id: 'C1' }, user: { id: 'U1' }, team: { id: 'T1' } },
      ...{ message_ts: '2', message: { ts: '2', thread_ts: '1', ...reply } },
    },
  });
  return shown;
}

it.each([
  ['a reply in a thread is shown there', {}, 'thread'],
  [
    'a reply that was also sent to the channel is shown in the channel',
    { subtype: 'thread_broadcast' },
    'channel',
  ],
])('the answer to a shortcut on %s', async (_what, reply, where) => {
  expect(await answerTo(reply)).toEqual([where]);
});
