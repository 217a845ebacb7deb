import { expect, it } from 'vitest';
import { listenForPeople } from '../../../src/surfaces/index.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { standInBolt } from '../../support/stand-in-bolt.ts';

/** Asks where a reply in a thread is filed. Returns where the answer is shown. */
async function answerTo(reply: object, isTooLate: boolean): Promise<string[]> {
  const shown: string[] = [];
  const workspace: Partial<SurfaceContext['workspace']> = {
    isClosedTo: async () => false,
    identity: { team: 'T1', botUserId: 'U0', botId: undefined },
    actor: async (userId) => ({ userId, role: 'member' }),
    openModal: async () => {
      if (isTooLate) throw new Error('expired_trigger_id');
      shown.push('modal');
      return { id: 'V1' };
    },
    postEphemeral: async () => void shown.push('thread'),
  };
  const ledger: Partial<SurfaceContext['ledger']> = { sharesOf: async () => [] };
  const context = {
    ...{ workspace, ledger, linkBy: 'admins' },
  } as Partial<SurfaceContext> as SurfaceContext;
  const shortcuts = new Map<string, (given: object) => Promise<void>>();
  const shortcut = ({ callback_id: id }: { callback_id: string }, listener: never) =>
    void shortcuts.set(id, listener);
  listenForPeople(standInBolt({ shortcut }), context);
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

it.each<[what: string, reply: object, isTooLate: boolean, where: string]>([
  ['is shown in a modal, also for a reply in a thread', {}, false, 'modal'],
  ['is shown in the thread if a modal can no longer be opened', {}, true, 'thread'],
  [
    'is shown in the channel then, for a reply that was also sent to it',
    { subtype: 'thread_broadcast' },
    true,
    'channel',
  ],
])('the answer to “Where is this filed?” %s', async (_what, reply, isTooLate, where) => {
  expect(await answerTo(reply, isTooLate)).toEqual([where]);
});
