import type { Clock } from '../../../base/index.ts';
import { type Json, stringOf } from '../slack-shapes.ts';
import type { AppLine, Attempt } from './app-line.ts';

/** One attempt to deliver an event to the app. */
export interface Delivery extends Attempt {
  eventId: string;
  /** 0 for the first attempt, then as in `x-slack-retry-num`. */
  retry: number;
}

interface DeliveryParts {
  clock: Clock;
  line: AppLine;
  /** Waits before the second, third and fourth attempt, in milliseconds. */
  retryDelaysMs: readonly number[];
  stopped: AbortSignal;
}

export interface Deliveries {
  /**
   * Resolves with every attempt; retries until the app accepts or declines, or no retry is left.
   */
  deliver(envelope: Json): Promise<Delivery[]>;
  /** Sends an earlier event again, under the same `event_id`; rejects if there is none. */
  redeliver(eventId: string): Promise<Delivery[]>;
}

/** Delivers and retries as Slack does (https://docs.slack.dev/apis/events-api/, "Retries"). */
export function createDeliveries(parts: DeliveryParts): Deliveries {
  const sent = new Map<string, Json>();
  const deliver = async (envelope: Json) => {
    sent.set(stringOf(envelope, 'event_id'), envelope);
    return attempts(parts, envelope);
  };
  return {
    deliver,
    redeliver: async (eventId) => {
      const envelope = sent.get(eventId);
      if (!envelope) throw new Error(`No event ${eventId} was sent`);
      return deliver(envelope);
    },
  };
}

async function attempts(parts: DeliveryParts, envelope: Json): Promise<Delivery[]> {
  const { clock, line, retryDelaysMs, stopped } = parts;
  const eventId = stringOf(envelope, 'event_id');
  const made: Delivery[] = [];
  for (let retry = 0; retry <= retryDelaysMs.length && !stopped.aborted; retry += 1) {
    const reason = made.at(-1)?.failure ?? '';
    const again = retry > 0 ? { retry: { attempt: retry, reason } } : {};
    const attempt = await line.send({ type: 'events_api', payload: envelope, ...again });
    made.push({ ...attempt, eventId, retry });
    if (!attempt.failure || attempt.noRetry || retry === retryDelaysMs.length) break;
    await clock.sleep(retryDelaysMs[retry] ?? 0, stopped).catch(() => undefined);
  }
  return made;
}
