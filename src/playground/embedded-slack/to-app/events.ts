import type { Clock, Random } from '../../../base/index.ts';
import type { Change, Changes } from '../changes.ts';
import type { Directory } from '../directory.ts';
import { APP } from '../people.ts';
import { type Json, stringOf } from '../slack-shapes.ts';
import type { Deliveries, Delivery } from './deliveries.ts';
import { eventEnvelope } from './envelopes.ts';

export interface EventOptions {
  /** The identifier of the user who caused it; `setOwnMessages` can withhold the app's own. */
  from?: string;
  /** The channel's identifier, if the event has no `channel` field. */
  channel?: string;
  /** Delivers even if the bot is not in the channel. */
  evenIfNoMember?: boolean;
}

/** Chooses which events the app gets, and wraps and delivers them. */
export interface Events {
  /** Whether the app gets events of this type from this user. */
  wants(type: string, from?: string): boolean;
  /** Delivers `times` copies (default 1), with retries; none if the app must not get the event. */
  deliver(event: Json, options?: EventOptions & { times?: number }): Promise<Delivery[]>;
  /** Delivers without waiting for it; ignores errors. */
  background(event: Json, options?: EventOptions): void;
  noticed(change: Change): void;
  /** Returns a new `ts`, for what the emulator does not number. */
  timestamp(): string;
  setOwnMessages(on: boolean): void;
  /** Resolves when no background delivery is in progress. */
  settled(): Promise<void>;
}

interface EventParts {
  clock: Clock;
  random: Random;
  directory: Directory;
  deliveries: Deliveries;
  changes: Changes;
  /** The event types to which the app is subscribed. */
  subscriptions: ReadonlySet<string>;
}

export function createEvents(parts: EventParts): Events {
  const { clock, directory, changes, subscriptions } = parts;
  const underway = new Set<Promise<unknown>>();
  let ownMessages = true;
  let count = 0;

  const wants = (type: string, from?: string) =>
    subscriptions.has(type) && (ownMessages || from !== APP.userId);
  const deliver: Events['deliver'] = async (event, options = {}) => {
    if (!wants(stringOf(event, 'type'), options.from)) return [];
    const id = options.channel ?? stringOf(event, 'channel');
    const channel = id ? await directory.channel(id) : undefined;
    if (id && !channel?.members.includes(APP.userId) && !options.evenIfNoMember) return [];
    const envelope = eventEnvelope(parts, { event, channel, from: options.from });
    return sendTimes(parts, envelope, options.times ?? 1);
  };

  return {
    wants,
    deliver,
    background: (event, options) => {
      const sending = deliver(event, options).finally(() => underway.delete(sending));
      underway.add(sending);
      sending.catch(() => undefined);
    },
    noticed: changes.tell,
    timestamp: () => {
      count = (count + 1) % 1000;
      const ms = clock.now();
      const fraction = String((ms % 1000) * 1000 + count).padStart(6, '0');
      return `${Math.floor(ms / 1000)}.${fraction}`;
    },
    setOwnMessages: (on) => {
      ownMessages = on;
    },
    settled: async () => {
      while (underway.size > 0) await Promise.allSettled(underway);
    },
  };
}

async function sendTimes(parts: EventParts, envelope: Json, times: number): Promise<Delivery[]> {
  const sendings = Array.from({ length: times }, () => parts.deliveries.deliver(envelope));
  const made = (await Promise.all(sendings)).flat();
  parts.changes.tell({ what: 'delivery' });
  return made;
}
