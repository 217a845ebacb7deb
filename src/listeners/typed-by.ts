import type { SlashCommand } from '@slack/bolt';
import type { Asked } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';

/** Who typed a command, and where. */
export function typedBy(command: SlashCommand, { workspace }: ListenerContext): Asked {
  return {
    team: workspace.identity.team,
    channel: command.channel_id,
    userId: command.user_id,
    userTeam: command.team_id,
  };
}
