import type { SlashCommand } from '@slack/bolt';
import type { Asker } from './asked.ts';
import type { ListenerContext } from './listener-context.ts';

/** Who typed a command, and where. */
export function typedBy(command: SlashCommand, { workspace }: ListenerContext): Asker {
  return {
    team: workspace.identity.team,
    channel: command.channel_id,
    userId: command.user_id,
    userTeam: command.team_id,
  };
}
