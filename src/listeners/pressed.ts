import type { BlockAction } from '@slack/bolt';
import type { Asker } from './asked.ts';
import type { ListenerContext } from './listener-context.ts';

/** Who pressed a button, and where; null when the payload names no channel. */
export function pressedBy(body: BlockAction, { workspace }: ListenerContext): Asker | null {
  const channel = body.channel?.id ?? body.container?.['channel_id'];
  if (typeof channel !== 'string') return null;
  return {
    team: workspace.identity.team,
    channel,
    userId: body.user.id,
    userTeam: body.user.team_id ?? body.team?.id ?? null,
  };
}
