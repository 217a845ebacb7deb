import type { webApi } from '@slack/bolt';
import type { Actor, Role } from '../transfers/index.ts';
import { callSlack } from './call-slack.ts';
import { SlackCallError } from './slack-error.ts';

type User = NonNullable<webApi.UsersInfoResponse['user']>;

/**
 * Who somebody is, asked of Slack at the moment it matters
 * (https://docs.slack.dev/reference/methods/users.info). Rejects with SlackCallError, also where the
 * answer names nobody: who cannot be told has no rights.
 */
export async function findActor(
  client: webApi.WebClient,
  userId: string,
  { ownTeam, userTeam }: { ownTeam: string; userTeam: string | null },
): Promise<Actor> {
  const { user } = await callSlack('users.info', () => client.users.info({ user: userId }));
  if (!user) throw new SlackCallError('SLACK_REFUSED', 'users.info named nobody', {});
  const teams = [user.team_id, userTeam ?? ownTeam];
  return { userId, role: roleOf(user, !user.is_stranger && teams.every((one) => one === ownTeam)) };
}

function roleOf(user: User, ownWorkspace: boolean): Role {
  if (user.deleted) return 'deactivated';
  if (user.is_bot || user.id === 'USLACKBOT') return 'bot';
  if (!ownWorkspace) return 'outsider';
  if (user.is_restricted || user.is_ultra_restricted) return 'guest';
  return user.is_admin || user.is_owner || user.is_primary_owner ? 'admin' : 'member';
}
