import type { Channel, Directory } from '../directory.ts';
import { APP, TEAM } from '../people.ts';
import type { Json } from '../slack-shapes.ts';

/** Returns the fields of every interaction payload that say who acted in which workspace. */
export function actorOf(directory: Directory, user: string): Json {
  const id = directory.userId(user);
  const name = directory.account(id);
  return {
    user: { id, username: name, name, team_id: directory.teamOf(id) },
    team: { id: TEAM.id, domain: TEAM.domain },
    api_app_id: APP.id,
    token: 'deprecated-verification-token',
    enterprise: null,
    is_enterprise_install: false,
  };
}

/** Returns a channel's name as in the payloads of commands and interactions. */
export function nameOf({ type, name }: Channel): string {
  if (type === 'im') return 'directmessage';
  return type === 'group' ? 'privategroup' : name;
}
