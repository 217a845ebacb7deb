import { beforeEach, expect, it } from 'vitest';
import type { ShareRow } from '../../src/ledger/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import { retryShare } from '../../src/listeners/filing.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const SHARE = { id: 7, team: 'T1', channel: 'C1', replyChannel: 'D9', userId: 'U1' };
let tried: number[];
beforeEach(() => {
  tried = [];
});

const context = {
  clock: createFakeClock(),
  wake: () => undefined,
  findDestination: async () => null,
  ledger: {
    findShareById: async () => SHARE as Partial<ShareRow> as ShareRow,
    retryShare: async (id) => tried.push(id),
  } as Partial<ListenerContext['ledger']>,
} as Partial<ListenerContext> as ListenerContext;

it.each([
  ['in the channel of the share', { team: 'T1', channel: 'C1' }, [7]],
  ['where its line stands', { team: 'T1', channel: 'D9' }, [7]],
  ['in no other channel', { team: 'T1', channel: 'C2' }, []],
  ['in no other workspace', { team: 'T2', channel: 'C1' }, []],
])('a Retry tries files again %s', async (_where, place, expected) => {
  const call = { lane: 'interactive' } as const;
  const asked: Asked = { ...place, userId: 'U2', role: 'member', call };
  await retryShare(asked, { shareId: SHARE.id }, context);
  expect(tried).toEqual(expected);
});
