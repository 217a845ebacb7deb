import type { ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import {
  type Clock,
  hasCode,
  inTime,
  type Logger,
  messageOf,
  VERSION,
  within,
} from './base/index.ts';
import type { JobLoop } from './engine/index.ts';
import type { Ledger } from './ledger/index.ts';
import { isHeldBack, isRateLimited, type ServiceClient, type Throttle } from './service/index.ts';
import type { PortListener, Workspace } from './slack/index.ts';

/** How long a check may take, in milliseconds. */
const MAX_MS = 10_000;
/** How long a probe waits for a check, in milliseconds: the check goes on, for the next probe. */
const PROBE_MS = 1_000;

/** A part that must work for the process to be ready. */
export interface Check {
  name: string;
  /** How long a result is cached, in milliseconds. */
  keepMs: number;
  /**
   * How long a failure is cached, in milliseconds; default: 2 s, as it may be over soon. If our own
   * rate limit held the request back, the result before is returned for 2 s more.
   */
  keepFailureMs?: number;
  /**
   * Whether the request waits for our own rate limit now: a probe that would wait for it, too,
   * returns the result before. Default: never.
   */
  waitsForSlot?: () => boolean;
  /**
   * Rejects when the part does not work; `signal` aborts when the check takes too long. Resolves
   * with text to show instead of `ok`, if with any.
   */
  run: (signal: AbortSignal) => Promise<unknown>;
}

interface Figure {
  help: string;
  value: () => number | Promise<number>;
  /** What is true of all its values. */
  labels?: Record<string, string>;
}

interface HealthOptions {
  checks: Check[];
  /** Figures for `/metrics`, by name. */
  gauges: Record<string, Figure>;
  clock: Clock;
  logger: Logger;
}

/**
 * Serves `GET /healthz` (alive), `GET /readyz` (503 names the parts that do not work) and
 * `GET /metrics` (Prometheus). Reasons go only to the log: the port may be public, and a reason may
 * name hosts and paths.
 */
export function createHealth(options: HealthOptions): PortListener {
  const checks = options.checks.map((check) => keep(check, options));
  const figures = createFigures(options);
  return ({ method, url }, response) => {
    const path = method === 'GET' || method === 'HEAD' ? url?.split('?')[0] : '';
    if (path === '/healthz') answer(response, 200, { ok: true });
    else if (path === '/readyz') void ready(checks, response);
    else if (path === '/metrics') void figures(response);
    else answer(response, 404, { error: 'not found' });
  };
}

const KEEP_FAILURE_MS = 2_000;
const noAnswer = (ms: number) => `no answer within ${ms / 1000} s`;
const timedOut = () => new Error(noAnswer(MAX_MS));

const DOES_NOT_WORK = 'does not work';

type KeptCheck = () => Promise<readonly [name: string, shown: string]>;

function keep(check: Check, { clock, logger }: Pick<HealthOptions, 'clock' | 'logger'>): KeptCheck {
  const { name: part, keepMs, keepFailureMs = KEEP_FAILURE_MS, run } = check;
  const { waitsForSlot = () => false } = check;
  let problem: string | null = null;
  let shown = 'ok';
  // Logged only when it begins, changes or ends, as probes come every few seconds.
  const note = (found: string | null, word: string) => {
    if (found !== null && found !== problem)
      logger.warn({ part, problem: found }, `Not ready: ${part} ${DOES_NOT_WORK}`);
    if (found === null && problem !== null) logger.info({ part }, `Works again: ${part}`);
    problem = found;
    shown = word;
  };
  const checked = atMostEvery(keepMs, clock, async (holdFor) => {
    try {
      const word = await within({ clock, timeoutMs: MAX_MS, timedOut }, run);
      note(null, typeof word === 'string' ? word : 'ok');
    } catch (error) {
      // In the first window after a start: the process before may have just sent requests.
      const isUnknown = isHeldBack(error) || hasCode(error, 'SERVICE_STOPPED');
      holdFor(isUnknown ? KEEP_FAILURE_MS : keepFailureMs);
      if (!isUnknown) note(messageOf(error), DOES_NOT_WORK);
    }
    return true;
  });
  return async () => {
    const isDone = await inTime(checked(), { clock, ms: PROBE_MS, late: false });
    if (!isDone && !waitsForSlot()) note(problem ?? noAnswer(PROBE_MS), DOES_NOT_WORK);
    return [part, shown];
  };
}

/**
 * Caches what `run` resolves with while it runs and for `keepMs` milliseconds from its start, or for
 * the time that it passes to `holdFor` if that ends sooner.
 */
function atMostEvery<T>(
  keepMs: number,
  clock: Clock,
  run: (holdFor: (ms: number) => void) => Promise<T>,
) {
  let until = 0;
  let last: Promise<T> | null = null;
  let isRunning = false;
  return (): Promise<T> => {
    if (last && (isRunning || clock.now() < until)) return last;
    until = clock.now() + keepMs;
    isRunning = true;
    last = run((ms) => {
      until = Math.min(until, clock.now() + ms);
    }).finally(() => {
      isRunning = false;
    });
    return last;
  };
}

async function ready(checks: KeptCheck[], response: ServerResponse): Promise<void> {
  const results = await Promise.all(checks.map((check) => check()));
  const ok = results.every(([, shown]) => shown !== DOES_NOT_WORK);
  answer(response, ok ? 200 : 503, { ok, ...Object.fromEntries(results) });
}

/** How long the figures are cached, in milliseconds: they read the database. */
const KEEP_FIGURES_MS = 1_000;

/** Creates the handler of `/metrics`, which computes the figures at most once a second. */
function createFigures({ gauges, clock }: HealthOptions) {
  let registry: Promise<Registry> | undefined;
  const figures = atMostEvery(KEEP_FIGURES_MS, clock, async () => {
    registry ??= createRegistry(gauges);
    const all = await registry;
    return { type: all.contentType, text: await all.metrics() };
  });
  return async (response: ServerResponse): Promise<void> => {
    try {
      const { type, text } = await figures();
      response.writeHead(200, { 'content-type': type }).end(text);
    } catch {
      answer(response, 503, { error: 'the figures cannot be read now' });
    }
  };
}

// Loads prom-client at the first request: most operators never need it, and it slows the start.
async function createRegistry(gauges: HealthOptions['gauges']): Promise<Registry> {
  const { Gauge, Registry } = await import('prom-client');
  const registry = new Registry();
  for (const [name, { help, value, labels = {} }] of Object.entries(gauges))
    new Gauge({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: [registry],
      async collect() {
        this.set(labels, await value());
      },
    });
  return registry;
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

interface HealthParts {
  ledger: Ledger;
  workspace: Workspace;
  service: ServiceClient;
  throttle: Throttle;
  worker: JobLoop;
  clock: Clock;
  /** Whether this is the only instance: no other shares the rate limit, over Redis. */
  isAlone: boolean;
  /** The Socket Mode connection; null over HTTP. */
  connection: { check(): Promise<void> } | null;
}

/** Returns the app's checks. */
export function checksOf(parts: HealthParts): Check[] {
  const { ledger, workspace, service, throttle, connection } = parts;
  const reachService = async (signal: AbortSignal) => {
    try {
      // A wrong address cannot be told from an account that does not offer the list.
      return (await service.check({ lane: 'interactive', signal })) ? 'ok' : 'shows no projects';
    } catch (error) {
      // A service that answers 429 works: others have used the account's limit.
      if (!isRateLimited(error) || isHeldBack(error)) throw error;
      return 'ok';
    }
  };
  return [
    { name: 'database', keepMs: 1_000, run: () => ledger.check() },
    { name: 'slack', keepMs: 30_000, run: () => workspace.check() },
    ...(connection ? [{ name: 'socket', keepMs: 1_000, run: connection.check }] : []),
    {
      ...{ name: 'service', keepMs: 60_000, keepFailureMs: 30_000, run: reachService },
      waitsForSlot: () => throttle.state().waiting.interactive > 0,
    },
    ...(parts.isAlone ? [] : [{ name: 'redis', keepMs: 1_000, run: () => throttle.check() }]),
  ];
}

/** Returns the app's figures. */
export function gaugesOf({ ledger, throttle, worker, clock }: HealthParts) {
  return {
    pigeonhole_build_info: {
      help: 'Always 1; its label is the version that runs',
      labels: { version: VERSION },
      value: () => 1,
    },
    pigeonhole_transfers_waiting: {
      help: 'Transfers in the ledger that are not settled',
      value: () => ledger.countActive(),
    },
    pigeonhole_transfers_refused: {
      help: 'Transfers that could not be filed and need a person',
      value: () => ledger.countRefused(),
    },
    pigeonhole_transfers_in_hand: {
      help: 'Transfers that this instance works on',
      value: () => worker.inHand,
    },
    pigeonhole_requests_in_window: {
      help: 'Slots taken in the rate limit window',
      value: () => throttle.state().taken,
    },
    pigeonhole_may_send: {
      help: 'Whether this instance sends the requests: 1; 0 while another one does',
      value: () => Number(throttle.maySend()),
    },
    pigeonhole_requests_allowed: {
      help: 'Slots that may be taken in the rate limit window at most',
      value: () => throttle.state().allowed,
    },
    pigeonhole_service_wait_seconds: {
      help: 'How long the file service asks to wait before the next call; 0 when it does not',
      value: () => Math.max(0, (throttle.state().heldUntil ?? 0) - clock.now()) / 1000,
    },
    pigeonhole_requests_waiting: {
      help: 'Calls to the file service that wait for a slot',
      value: () => throttle.state().waiting.bulk + throttle.state().waiting.interactive,
    },
  };
}
