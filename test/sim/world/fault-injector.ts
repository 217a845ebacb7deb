import { failDisk } from '../kernel/process.ts';
import type { Chance } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type {
  DeliveryFaults,
  DownloadFaults,
  FaultRates,
  ServiceFault,
  ServiceFaults,
  SlackFaults,
} from '../plan/faults.ts';

/** A fault that lasts for a while and ends by itself. */
type Spell =
  | 'outage'
  | 'slow-service'
  | 'slow-way'
  | 'lost-creates'
  | 'wrong-refusals'
  | 'storm'
  | 'key-revoked'
  | 'slack-silent'
  | 'history-fails'
  | `disk-full ${string}`;

/** Decides which faults occur, by the rates of a world and by the spells that are on now. */
export interface FaultSource {
  service: ServiceFaults;
  slack: SlackFaults;
  downloads: DownloadFaults;
  deliveries: DeliveryFaults;
  /** Begins a spell that lasts this long, in milliseconds. */
  begin(spell: Spell, ms: number): void;
  /** Notes that something else lasts this long, in milliseconds. */
  lasts(ms: number): void;
  /**
   * Returns the time from which nothing fails any more, in milliseconds since the epoch. History
   * may still fail: what events brought does not need it.
   */
  calmFrom(): number;
  /** Counts one occurrence of a fault. */
  note(name: string): void;
  /** How often each fault has occurred. */
  struck: Map<string, number>;
}

/** Statuses of responses to creates that took effect. */
const WRONG_REFUSALS = [400, 403, 404, 429];
const SLOW: ServiceFault = { kind: 'late-answer', ms: 8_000 };
/** The faults of creates while their responses are lost: half of them take effect. */
const LOST: ServiceFault[] = [{ kind: 'reset-before' }, { kind: 'reset-after' }];
/** The longest delay of a request during a `slow-way` spell, in milliseconds. */
const SLOW_WAY_MS = 8_000;
const HISTORY = new Set(['conversations.history', 'conversations.replies']);

interface Rated<T> {
  probability: number;
  kinds: T[];
}

export function createFaultSource(rates: FaultRates, calmAt: number, chance: Chance): FaultSource {
  const spells = new Map<Spell, number>();
  const struck = new Map<string, number>();
  let longest = 0;
  const lasts = (spell: Spell) => virtualNow() < (spells.get(spell) ?? 0);
  const note = (name: string) => void struck.set(name, (struck.get(name) ?? 0) + 1);

  const drawFrom = <T extends { kind: string }>(part: string, { probability, kinds }: Rated<T>) => {
    const own = chance.fork(part);
    return () => {
      if (virtualNow() >= calmAt || kinds.length === 0) return null;
      if (!own.happens(probability)) return null;
      const fault = own.pick(kinds);
      const which =
        'status' in fault ? ` ${fault.status}` : 'code' in fault ? ` ${fault.code}` : '';
      note(`${part} ${fault.kind}${which}`);
      return fault;
    };
  };

  const listsAreNew = rates.service.kinds.every(({ kind }) => kind !== 'stale-list');
  const wrong = chance.fork('wrong refusals');
  const lost = chance.fork('lost creates');
  const way = chance.fork('slow way');
  const service = drawFrom('service', rates.service);
  const slack = drawFrom('slack', rates.slack);
  const deliveries = drawFrom('delivery', rates.deliveries);
  const disk = chance.fork('disk');
  failDisk((process, statement) => {
    if (lasts(`disk-full ${process.name}`)) return 'full';
    if (virtualNow() >= calmAt || !disk.happens(rates.disk)) return null;
    note(`disk ${/^\s*commit/i.test(statement) ? 'commit' : 'write'}`);
    return 'io';
  });

  return {
    service: (call) => {
      if (lasts('outage')) return { kind: 'refused' };
      if (lasts('storm')) return { kind: 'status-before', status: 429, retryAfter: 10 };
      if (lasts('key-revoked')) return { kind: 'status-before', status: 401 };
      if (
        lasts('wrong-refusals') &&
        listsAreNew &&
        call.operation === 'create' &&
        wrong.happens(0.5)
      )
        return { kind: 'status-after', status: wrong.pick(WRONG_REFUSALS) };
      if (lasts('lost-creates') && call.operation === 'create' && lost.happens(0.9))
        return lost.pick(LOST);
      if (lasts('slow-way')) return { kind: 'late-arrival', ms: way.whole(0, SLOW_WAY_MS) };
      return service() ?? (lasts('slow-service') ? SLOW : null);
    },
    slack: (method) => {
      if (lasts('history-fails') && HISTORY.has(method))
        return { kind: 'refused-before', error: 'internal_error' };
      return slack();
    },
    downloads: drawFrom('download', rates.downloads),
    deliveries: () => (lasts('slack-silent') ? { kind: 'lost' } : deliveries()),
    begin: (spell, ms) => {
      note(spell);
      spells.set(spell, Math.max(spells.get(spell) ?? 0, virtualNow() + ms));
    },
    lasts: (ms) => {
      longest = Math.max(longest, virtualNow() + ms);
    },
    note,
    calmFrom: () => {
      const heeded = [...spells].filter(([spell]) => spell !== 'history-fails');
      return Math.max(calmAt, longest, ...heeded.map(([, until]) => until));
    },
    struck,
  };
}
