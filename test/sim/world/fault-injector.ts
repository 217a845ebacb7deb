import { setDiskFaults } from '../kernel/process.ts';
import type { Rng } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { FaultAction } from '../plan/actions.ts';
import type {
  DeliveryFaults,
  DownloadFaults,
  FaultRates,
  ServiceFault,
  ServiceFaults,
  SlackFaults,
} from '../plan/faults.ts';

/** A fault that lasts for a while and ends by itself. */
type FaultPeriod = FaultAction['kind'] | `disk-full ${string}`;

/** Statuses of responses to creates that took effect. */
const WRONG_REFUSALS = [400, 403, 404, 429];
const SLOW: ServiceFault = { kind: 'late-response', ms: 8_000 };
/** The faults of creates while their responses are lost: half of them take effect. */
const LOST: ServiceFault[] = [{ kind: 'reset-before' }, { kind: 'reset-after' }];
/** How often a slow network lets all requests through that were sent since, in milliseconds. */
const SLOW_NETWORK_MS = 8_000;
const HISTORY = new Set(['conversations.history', 'conversations.replies']);

/** Decides which faults occur, by the rates of a world and by the periods that are on now. */
export type FaultInjector = ReturnType<typeof createFaultInjector>;

export function createFaultInjector(rates: FaultRates, faultsUntil: number, rng: Rng) {
  const periods = new Map<FaultPeriod, number>();
  const injected = new Map<string, number>();
  let longest = 0;
  const isOn = (period: FaultPeriod) => virtualNow() < (periods.get(period) ?? 0);
  const count = (name: string) => void injected.set(name, (injected.get(name) ?? 0) + 1);

  const drawnBy = <T extends { kind: string }>(
    part: string,
    { probability, kinds }: { probability: number; kinds: T[] },
  ) => {
    const own = rng.fork(part);
    return () => {
      if (virtualNow() >= faultsUntil || kinds.length === 0) return null;
      if (!own.chance(probability)) return null;
      const fault = own.pick(kinds);
      const which =
        'status' in fault ? ` ${fault.status}` : 'code' in fault ? ` ${fault.code}` : '';
      count(`${part} ${fault.kind}${which}`);
      return fault;
    };
  };

  const listsAreNew = rates.service.kinds.every(({ kind }) => kind !== 'stale-list');
  const wrong = rng.fork('wrong refusals');
  const lost = rng.fork('lost creates');
  const service = drawnBy('service', rates.service);
  const slack = drawnBy('slack', rates.slack);
  const downloads: DownloadFaults = drawnBy('download', rates.downloads);
  const deliveries = drawnBy('delivery', rates.deliveries);
  const disk = rng.fork('disk');
  setDiskFaults((process, statement) => {
    if (isOn(`disk-full ${process.name}`)) return 'full';
    if (virtualNow() >= faultsUntil || !disk.chance(rates.disk)) return null;
    count(`disk ${/^\s*commit/i.test(statement) ? 'commit' : 'write'}`);
    return 'io';
  });

  const serviceFaults: ServiceFaults = (operation) => {
    const isCreate = operation === 'create';
    if (isOn('outage')) return { kind: 'refused' };
    if (isOn('rate-limiting')) return { kind: 'status-before', status: 429, retryAfter: 10 };
    if (isOn('key-revoked')) return { kind: 'status-before', status: 401 };
    if (isOn('wrong-refusals') && listsAreNew && isCreate && wrong.chance(0.5))
      return { kind: 'status-after', status: wrong.pick(WRONG_REFUSALS) };
    if (isOn('lost-creates') && isCreate && lost.chance(0.9)) return lost.pick(LOST);
    if (isOn('creates-unsent') && isCreate) return { kind: 'reset-before' };
    if (isOn('creates-unanswered') && isCreate) return { kind: 'reset-after' };
    if (isOn('slow-network'))
      return { kind: 'late-arrival', ms: SLOW_NETWORK_MS - (virtualNow() % SLOW_NETWORK_MS) };
    const fault = service();
    // A delete that is answered 404 says that the record is gone, and nothing could tell otherwise.
    const isLie = operation === 'delete' && fault?.kind === 'status-before' && fault.status === 404;
    return (isLie ? null : fault) ?? (isOn('slow-service') ? SLOW : null);
  };
  const slackFaults: SlackFaults = (method) => {
    if (isOn('history-fails') && HISTORY.has(method))
      return { kind: 'refused-before', error: 'internal_error' };
    return slack();
  };
  const deliveryFaults: DeliveryFaults = () =>
    isOn('slack-silent') ? { kind: 'lost' } : deliveries();

  return {
    service: serviceFaults,
    slack: slackFaults,
    downloads,
    deliveries: deliveryFaults,
    injected,
    /** Counts one occurrence of a fault. */
    count,
    /** Starts a period that lasts this long, in milliseconds. */
    start: (period: FaultPeriod, ms: number) => {
      count(period);
      periods.set(period, Math.max(periods.get(period) ?? 0, virtualNow() + ms));
    },
    /** Notes that something else lasts this long, in milliseconds. */
    extend: (ms: number) => {
      longest = Math.max(longest, virtualNow() + ms);
    },
    /**
     * Returns the time from which nothing fails any more, in milliseconds since the epoch. History
     * may still fail: what events brought does not need it.
     */
    faultFreeFrom: () => {
      const heeded = [...periods].filter(([period]) => period !== 'history-fails');
      return Math.max(faultsUntil, longest, ...heeded.map(([, until]) => until));
    },
  };
}
