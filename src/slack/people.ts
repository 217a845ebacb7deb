import type { webApi } from '@slack/bolt';
import type { Actor } from '../transfers/index.ts';
import { callSlack } from './call-slack.ts';

/**
 * Who somebody is, asked of Slack at the moment it matters
 * (https://docs.slack.dev/reference/methods/users.info). Rejects with SlackCallError.
 */
export async function findActor(
  client: webApi.WebClient,
  userId: string,
  { ownTeam, userTeam }: { ownTeam: string; userTeam: string | null },
): Promise<Actor> {
  const { user } = await callSlack('users.info', () => client.users.info({ user: userId }));
  const ownWorkspace =
    user?.team_id === ownTeam && !user.is_stranger && (userTeam === null || userTeam === ownTeam);
  return {
    userId,
    ownWorkspace,
    admin: ownWorkspace && Boolean(user?.is_admin || user?.is_owner || user?.is_primary_owner),
    guest: Boolean(user?.is_restricted || user?.is_ultra_restricted),
  };
}
