import type { App } from '@slack/bolt';
import { expect, it } from 'vitest';
import { listenForJoins } from '../../src/listeners/joined.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';

type Joined = { event: { user: string; channel: string; event_ts: string } };

it('what comes after the bot has joined a channel counts, whoever else joins', async () => {
  const confirmed: unknown[] = [];
  let joins: (given: Joined) => Promise<void> = () => Promise.reject(new Error('nobody listens'));
  const app = {
    event: (_name: string, listener: typeof joins) => {
      joins = listener;
    },
  };
  const context = {
    workspace: { identity: { team: 'T1', botUserId: 'UBOT', botId: undefined } },
    ledger: { confirmUpTo: async (...mark: unknown[]) => void confirmed.push(mark) },
  };
  listenForJoins(
    app as Partial<App> as App,
    context as Partial<ListenerContext> as ListenerContext,
  );
  const event = { channel: 'C1', event_ts: '1700000000.000100' };
  await joins({ event: { ...event, user: 'U1' } });
  expect(confirmed).toEqual([]);
  await joins({ event: { ...event, user: 'UBOT' } });
  expect(confirmed).toEqual([[{ team: 'T1', channel: 'C1' }, '1700000000.000100']]);
});
