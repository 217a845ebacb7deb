import type { Channel, Directory } from '../directory.ts';
import { APP, TEAM } from '../people.ts';
import type { Json } from '../slack-shapes.ts';

/** What all interaction payloads say of who did it and where. */
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

/** A channel's name as commands and interactions spell it. */
export function nameOf({ type, name }: Channel): string {
  if (type === 'im') return 'directmessage';
  return type === 'group' ? 'privategroup' : name;
}
