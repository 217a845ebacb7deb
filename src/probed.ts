import type { Clock, Logger } from './base/index.ts';
import type { Ledger } from './ledger/index.ts';
import type { Check, ProbeOptions } from './probes.ts';
import type { ServiceClient, Throttle } from './service/index.ts';
import type { Workspace } from './slack/index.ts';
import type { Worker } from './worker/index.ts';

export interface Probed {
  ledger: Ledger;
  workspace: Workspace;
  service: ServiceClient;
  throttle: Throttle;
  worker: Worker;
  clock: Clock;
  logger: Logger;
  /** Whether other instances share the rate limit, over Redis. */
  shared: boolean;
  /** Rejects when Socket Mode has no connection; null over HTTP. */
  checkSocket: (() => Promise<void>) | null;
}

/** What the probes look at, and what they count. */
export function probed(parts: Probed): ProbeOptions {
  const { clock, logger } = parts;
  return { clock, logger, checks: checksOf(parts), gauges: gaugesOf(parts) };
}

function checksOf({ ledger, workspace, service, throttle, shared, checkSocket }: Probed): Check[] {
  const reachService = (signal: AbortSignal) => service.check({ lane: 'interactive', signal });
  return [
    { name: 'database', keepMs: 1_000, run: () => ledger.check() },
    { name: 'slack', keepMs: 30_000, run: () => workspace.check() },
    ...(checkSocket ? [{ name: 'socket', keepMs: 1_000, run: checkSocket }] : []),
    { name: 'service', keepMs: 60_000, keepFailureMs: 30_000, run: reachService },
    ...(shared ? [{ name: 'redis', keepMs: 1_000, run: () => throttle.check() }] : []),
  ];
}

function gaugesOf({ ledger, throttle, worker, clock }: Probed): ProbeOptions['gauges'] {
  return {
    pigeonhole_transfers_waiting: {
      help: 'Transfers in the ledger that are not settled',
      value: () => ledger.countActive(),
    },
    pigeonhole_transfers_in_hand: {
      help: 'Transfers that this instance works on',
      value: () => worker.inHand,
    },
    pigeonhole_requests_in_window: {
      help: 'Places of the rate window taken',
      value: () => throttle.state().taken,
    },
    pigeonhole_requests_allowed: {
      help: 'Places of the rate window used at most',
      value: () => throttle.state().allowed,
    },
    pigeonhole_service_wait_seconds: {
      help: 'How long the file service asks to wait before the next call; 0 when it does not',
      value: () => Math.max(0, (throttle.state().closedUntil ?? 0) - clock.now()) / 1000,
    },
    pigeonhole_requests_waiting: {
      help: 'Calls to the service that wait for a place',
      value: () => throttle.state().waiting.bulk + throttle.state().waiting.interactive,
    },
  };
}
