import type { App } from '@slack/bolt';
import type { ListenerContext } from './listener-context.ts';

/**
 * From when the bot joins a channel on, its history counts: what is shared later is never missed. The
 * time is Slack's own, as the event may come late.
 */
export function listenForJoins(app: App, context: ListenerContext): void {
  app.event('member_joined_channel', async ({ event }) => {
    const { team, botUserId } = context.workspace.identity;
    if (event.user !== botUserId) return;
    await context.ledger.confirmUpTo({ team, channel: event.channel }, event.event_ts);
  });
}
