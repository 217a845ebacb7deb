import type { Clock, Random } from '../../../base/index.ts';
import type { Channel, Directory } from '../directory.ts';
import { APP, TEAM } from '../people.ts';
import { type Json, stringOf } from '../slack-shapes.ts';

export interface EnvelopeParts {
  clock: Clock;
  random: Random;
  directory: Directory;
}

/**
 * Returns the envelope of an event (https://docs.slack.dev/apis/events-api/, "Callback field"). In
 * a channel shared with another workspace, `team_id` is the author's and `context_team_id` ours.
 */
export function eventEnvelope(
  { clock, random, directory }: EnvelopeParts,
  about: { event: Json; channel: Channel | undefined; from: string | undefined },
): Json {
  const at = clock.now();
  const isShared = about.channel?.extras['is_ext_shared'] === true;
  return {
    token: 'deprecated-verification-token',
    team_id: isShared && about.from ? directory.teamOf(about.from) : TEAM.id,
    context_team_id: TEAM.id,
    context_enterprise_id: null,
    api_app_id: APP.id,
    event: completed(about, at),
    type: 'event_callback',
    event_id: `Ev${shortId(random)}`,
    event_time: Math.floor(at / 1000),
    authorizations: [authorization()],
    is_ext_shared_channel: isShared,
    event_context: `4-${shortId(random)}`,
  };
}

// Slack sets `channel_type` in every message event, and `event_ts` in every event.
function completed({ event, channel }: { event: Json; channel: Channel | undefined }, at: number) {
  const event_ts = stringOf(event, 'event_ts') || `${(at / 1000).toFixed(6)}`;
  const type = event['type'] === 'message' && channel ? { channel_type: channel.type } : {};
  return { ...event, ...type, event_ts };
}

function authorization(): Json {
  const user = { user_id: APP.userId, is_bot: true, is_enterprise_install: false };
  return { enterprise_id: null, team_id: TEAM.id, ...user };
}

function shortId(random: Random): string {
  return random.id().replaceAll('-', '').slice(0, 12).toUpperCase();
}
