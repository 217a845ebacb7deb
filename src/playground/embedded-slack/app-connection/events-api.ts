import type { Clock, Random } from '../../../base/index.ts';
import type { Changes } from '../changes.ts';
import type { Channel, Directory } from '../directory.ts';
import { type Json, stringOf } from '../slack-types.ts';
import { APP, TEAM } from '../workspace-seed.ts';
import type { AppConnection, Attempt } from './app-connection.ts';

/** One attempt to deliver an event to the app. */
export interface Delivery extends Attempt {
  eventId: string;
  /** 0 for the first attempt, then as in `x-slack-retry-num`. */
  retry: number;
}

interface EventOptions {
  /** The identifier of the user who caused it. */
  from?: string;
  /** The channel's identifier, if the event has no `channel` field. */
  channel?: string;
  /** Delivers even if the bot is not in the channel. */
  evenIfNoMember?: boolean;
}

export type EventsApi = ReturnType<typeof createEventsApi>;

interface EventsApiOptions {
  clock: Clock;
  random: Random;
  directory: Directory;
  changes: Changes;
  app: AppConnection;
  /** Waits before the second, third and fourth attempt, in milliseconds. */
  retryDelaysMs: readonly number[];
  /** The event types to which the app is subscribed. */
  subscriptions: readonly string[];
  stopped: AbortSignal;
}

/**
 * Chooses which events the app gets, wraps them, and delivers and retries them as Slack does
 * (https://docs.slack.dev/apis/events-api/).
 */
export function createEventsApi(options: EventsApiOptions) {
  const { directory, changes, subscriptions } = options;
  const sent = new Map<string, Json>();
  const inProgress = new Set<Promise<unknown>>();

  const wants = (type: string) => subscriptions.includes(type);
  const send = (envelope: Json): Promise<Delivery[]> => {
    sent.set(stringOf(envelope, 'event_id'), envelope);
    return deliverEnvelope(options, envelope);
  };
  /**
   * Delivers `times` copies (default 1); none if the app must not get the event. Resolves with every
   * attempt; retries until the app accepts, or no retry is left.
   */
  const deliver = async (
    event: Json,
    { from, times = 1, ...about }: EventOptions & { times?: number } = {},
  ): Promise<Delivery[]> => {
    if (!wants(stringOf(event, 'type'))) return [];
    const id = about.channel ?? stringOf(event, 'channel');
    const channel = id ? await directory.channel(id) : undefined;
    if (id && !channel?.members.includes(APP.userId) && !about.evenIfNoMember) return [];
    const envelope = eventEnvelope(options, { event, channel, from });
    const copies = Array.from({ length: times }, () => send(envelope));
    const deliveries = (await Promise.all(copies)).flat();
    changes.notify('delivery');
    return deliveries;
  };

  return {
    /** Whether the app gets events of this type. */
    wants,
    deliver,
    /** Delivers without waiting for it; ignores errors. */
    background: (event: Json, about?: EventOptions): void => {
      const delivery = deliver(event, about).finally(() => inProgress.delete(delivery));
      inProgress.add(delivery);
      delivery.catch(() => undefined);
    },
    /** Sends an earlier event again, under the same `event_id`; rejects if there is none. */
    redeliver: async (eventId: string): Promise<Delivery[]> => {
      const envelope = sent.get(eventId);
      if (!envelope) throw new Error(`No event ${eventId} was sent`);
      return send(envelope);
    },
    /** Resolves when no background delivery is in progress. */
    settled: async (): Promise<void> => {
      while (inProgress.size > 0) await Promise.allSettled(inProgress);
    },
  };
}

async function deliverEnvelope(options: EventsApiOptions, payload: Json): Promise<Delivery[]> {
  const { clock, app, retryDelaysMs, stopped } = options;
  const eventId = stringOf(payload, 'event_id');
  const attempts: Delivery[] = [];
  for (let retry = 0; retry <= retryDelaysMs.length && !stopped.aborted; retry += 1) {
    const reason = attempts.at(-1)?.failure ?? '';
    const again = retry > 0 ? { retry: { attempt: retry, reason } } : {};
    const attempt = await app.send({ type: 'events_api', payload, ...again });
    attempts.push({ ...attempt, eventId, retry });
    if (!attempt.failure || retry === retryDelaysMs.length) break;
    await clock.sleep(retryDelaysMs[retry] ?? 0, stopped).catch(() => undefined);
  }
  return attempts;
}

/**
 * Returns the envelope of an event. In a channel shared with another workspace, `team_id` is the
 * author's and `context_team_id` ours.
 */
function eventEnvelope(
  { clock, random, directory }: EventsApiOptions,
  about: { event: Json; channel: Channel | undefined; from: string | undefined },
): Json {
  const { event, channel, from } = about;
  const at = clock.now();
  const isShared = channel?.extras['is_ext_shared'] === true;
  // Slack sets `channel_type` in every message event, and `event_ts` in every event.
  const type = event['type'] === 'message' && channel ? { channel_type: channel.type } : {};
  const event_ts = stringOf(event, 'event_ts') || (at / 1000).toFixed(6);
  const user = { user_id: APP.userId, is_bot: true, is_enterprise_install: false };
  return {
    token: 'deprecated-verification-token',
    team_id: isShared && from ? directory.teamOf(from) : TEAM.id,
    context_team_id: TEAM.id,
    context_enterprise_id: null,
    api_app_id: APP.id,
    event: { ...event, ...type, event_ts },
    type: 'event_callback',
    event_id: `Ev${shortId(random)}`,
    event_time: Math.floor(at / 1000),
    authorizations: [{ enterprise_id: null, team_id: TEAM.id, ...user }],
    is_ext_shared_channel: isShared,
    event_context: `4-${shortId(random)}`,
  };
}

function shortId(random: Random): string {
  return random.id().replaceAll('-', '').slice(0, 12).toUpperCase();
}
