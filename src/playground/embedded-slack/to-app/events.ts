import type { Clock, Random } from '../../../base/index.ts';
import type { Change, Changes } from '../changes.ts';
import type { Directory } from '../directory.ts';
import { APP } from '../people.ts';
import { type Json, stringOf } from '../slack-shapes.ts';
import type { Deliveries, Delivery } from './deliveries.ts';
import { eventEnvelope } from './envelopes.ts';

export interface EventOptions {
  /** Who caused it; the app's own doings can be kept from it. */
  from?: string;
  /** Where, when the event does not say it as `channel`. */
  channel?: string;
  /** Sent although the bot is not in the channel. */
  evenIfNoMember?: boolean;
}

/** Events on their way to the app: which of them it gets, and in what envelope. */
export interface Events {
  /** Whether an event of this type, caused by this person, goes to the app at all. */
  wants(type: string, from?: string): boolean;
  /** Sends it, however often it takes, `times` times over; nothing when the app is not to have it. */
  deliver(event: Json, options?: EventOptions & { times?: number }): Promise<Delivery[]>;
  /** Sends it without being waited for. */
  background(event: Json, options?: EventOptions): void;
  noticed(change: Change): void;
  /** A new `ts` for something that the emulator does not number. */
  timestamp(): string;
  setOwnMessages(on: boolean): void;
  /** Resolves when nothing is on its way any more. */
  settled(): Promise<void>;
}

export interface EventParts {
  clock: Clock;
  random: Random;
  directory: Directory;
  deliveries: Deliveries;
  changes: Changes;
  /** The types of events that the app is subscribed to. */
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
