import type { App } from '@slack/bolt';
import { historyFrom } from './history-from.ts';
import type { ListenerContext } from './listener-context.ts';

/** From when the bot joins a channel on, its history counts: what is shared later is never missed. */
export function listenForJoins(app: App, context: ListenerContext): void {
  app.event('member_joined_channel', async ({ event }) => {
    const { team, botUserId } = context.workspace.identity;
    if (event.user !== botUserId) return;
    const ts = historyFrom(context.clock.now());
    await context.ledger.confirmUpTo({ team, channel: event.channel }, ts);
  });
}
