import type { Directory } from '../directory.ts';
import { APP, TEAM } from '../people.ts';
import type { AppLine } from '../to-app/app-line.ts';
import { nameOf } from './actor.ts';
import type { Reaction } from './interactions.ts';
import type { ResponsePlace, ResponseUrls } from './response-urls.ts';
import type { Triggers } from './triggers.ts';

export interface CommandRequest {
  /** With its slash. */
  command: string;
  text?: string;
  user: string;
  channel: string;
}

interface CommandParts {
  directory: Directory;
  responseUrls: ResponseUrls;
  triggers: Triggers;
  line: AppLine;
}

/** Sends typed commands (https://docs.slack.dev/interactivity/implementing-slash-commands). */
export function createCommands(parts: CommandParts) {
  const { directory, responseUrls, triggers, line } = parts;
  return async (request: CommandRequest): Promise<Reaction> => {
    const channel = await directory.channel(directory.channelId(request.channel));
    if (!channel) throw new Error(`There is no channel ${request.channel}`);
    const user = directory.userId(request.user);
    const place: ResponsePlace = { user, channel: channel.id, ephemerals: [] };
    const payload = {
      token: 'deprecated-verification-token',
      team_id: TEAM.id,
      team_domain: TEAM.domain,
      channel_id: channel.id,
      channel_name: nameOf(channel),
      user_id: user,
      user_name: directory.account(user),
      command: request.command,
      text: request.text ?? '',
      api_app_id: APP.id,
      is_enterprise_install: 'false',
      response_url: responseUrls.issue(place),
      trigger_id: triggers.issue({ userId: user }),
    };
    const attempt = await line.send({ type: 'slash_commands', payload });
    if (!attempt.failure) await responseUrls.acknowledge(place, attempt.body);
    return { ...attempt, ephemerals: place.ephemerals };
  };
}
