import { createHash } from 'node:crypto';
import { createPersonalShares, type PersonalShares } from '../../base/index.ts';
import { createAdmissions } from './admissions.ts';
import { type AllowedPlaces, createAllowedPlaces } from './allowed-places.ts';
import { type Bell, createBell } from './bell.ts';
import { createBulkPace } from './bulk-pace.ts';
import { consultSharedState } from './consult-shared-state.ts';
import { createGate, type Gate } from './gate.ts';
import { createHeldCalls, type HeldCalls } from './held-calls.ts';
import type { LanePump } from './lane-pump.ts';
import { createOutage, type Outage } from './outage.ts';
import type { Pace } from './pace.ts';
import { PATIENCE_MS } from './patience.ts';
import { bulkPlaces, createPlaces, type Places, peoplePlaces } from './places.ts';
import { rateLimited } from './rate-limited.ts';
import type { Lane } from './throttle.ts';
import type { RedisOptions, ThrottleSettings } from './throttle-options.ts';
import { createThrottleRedis, type ThrottleRedis } from './throttle-redis.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

/** How much longer than promised a shared place lasts, so that it never ends under a live call. */
const EXPIRATION_SLACK_MS = 1000;
const LONGEST_HEARTBEAT_MS = 5000;
/** Of the places that people have, what one person may have at the most. */
const PERSONAL_SHARE = 2 / 3;

/** What a throttle is made of. */
export interface ThrottleParts extends Base, Limits {
  pumps: LanePump[];
}

interface Base {
  settings: ThrottleSettings;
  /** Ends all waiting. */
  stopping: AbortController;
  /** Gives back the places that are within their window. */
  lettingGo: AbortController;
  /** Told of failures of the shared store. */
  onError: (error: unknown) => void;
  onFine: () => void;
  /** While the service asks to wait. */
  hold: Outage;
  bell: Bell;
  lines: Record<Lane, WaitingLine>;
  redis: ThrottleRedis | null;
}

interface Limits {
  gate: Gate;
  places: Places;
  calls: HeldCalls;
  allowed: AllowedPlaces;
  persons: PersonalShares;
  /** Learns what other instances know, and makes the places as many as allowed. */
  consult: () => Promise<void>;
}

/** Wires a throttle; nothing runs yet. */
export function createThrottleParts(settings: ThrottleSettings): ThrottleParts {
  const base = createBase(settings);
  const limits = createLimits(base);
  return { ...base, ...limits, pumps: createPumps(base, limits) };
}

function createBase(settings: ThrottleSettings): Base {
  const stopping = new AbortController();
  const outage = createOutage(settings.logger, {
    begins: 'Redis, which shares the rate limit, cannot be reached: calls wait until it is back',
    ends: 'Redis, which shares the rate limit, is back',
  });
  const onError = (error: unknown) => {
    if (!stopping.signal.aborted) outage.failed({ error });
  };
  const bell = createBell(stopping.signal);
  return {
    settings,
    stopping,
    lettingGo: new AbortController(),
    onError,
    onFine: outage.fine,
    hold: createOutage(settings.logger, {
      begins: 'The file service asks to wait (429): nothing is sent until then',
      ends: 'The file service takes calls again',
    }),
    bell,
    lines: { interactive: createWaitingLine(bell.ring), bulk: createWaitingLine(bell.ring) },
    redis: settings.redis ? dial(settings, settings.redis, onError) : null,
  };
}

function dial(
  settings: ThrottleSettings,
  redis: RedisOptions,
  onError: Base['onError'],
): ThrottleRedis {
  const { clock, random, limit } = settings;
  return createThrottleRedis({
    ...redis,
    id: accountId(settings),
    keepMs: limit.windowMs * (limit.requests + 1),
    newId: random.id,
    now: clock.now,
    onError,
  });
}

function createLimits(base: Base): Limits {
  const { settings, lines, bell, redis, onError } = base;
  const { clock, limit, holdMs, logger } = settings;
  const { signal } = base.stopping;
  const interactiveWaits = () => lines.interactive.size() > 0;
  const { windowMs } = limit;
  const gate = createGate({
    ...{ clock, windowMs, interactiveWaits, signal },
    onClose: (until) => turnAway(lines, until - clock.now()),
    onOpen: base.hold.fine,
    onChange: bell.ring,
  });
  if (settings.quietUntil !== undefined) gate.close(settings.quietUntil);
  const places = createPlaces(placesOptions(base));
  const allowed = createAllowedPlaces({
    ...{ limit, clock, logger, onError, signal },
    open: () => gate.closedUntil() === null,
    resize: places.resize,
    share: (allowance) => void redis?.state.allow(allowance).catch(onError),
    consult: () => consult().catch(onError),
  });
  async function consult(): Promise<void> {
    if (redis) await consultSharedState(redis.state, { clock, gate, allowed, holdMs });
    await allowed.settle();
    base.onFine();
  }
  const calls = createHeldCalls(clock, holdMs, base.lettingGo.signal);
  const most = () => personalPlaces(allowed);
  const persons = createPersonalShares({ clock, most, windowMs: holdMs });
  return { gate, places, calls, allowed, persons, consult };
}

function personalPlaces(allowed: AllowedPlaces): number {
  return Math.max(1, Math.floor(peoplePlaces(allowed.count()) * PERSONAL_SHARE));
}

// Who would have to wait beyond the lane's patience is told so instead.
function turnAway(lines: Base['lines'], waitMs: number): void {
  for (const lane of ['interactive', 'bulk'] as const) {
    if (waitMs <= PATIENCE_MS[lane]) continue;
    lines[lane].clear(rateLimited('the service asks to wait', waitMs));
  }
}

function placesOptions({ settings, redis, onError }: Base): Parameters<typeof createPlaces>[0] {
  const { limit, reserve, holdMs } = settings;
  return {
    id: accountId(settings),
    connection: redis?.connection,
    size: limit.requests,
    reserve,
    graceMs: holdMs + EXPIRATION_SLACK_MS,
    heartbeatMs: Math.min(LONGEST_HEARTBEAT_MS, Math.ceil(limit.windowMs / 4)),
    onError,
  };
}

function createPumps(base: Base, limits: Limits): LanePump[] {
  const { lines, bell, stopping, settings } = base;
  const { gate, places, consult } = limits;
  const pace = createBulkPace({
    clock: settings.clock,
    pace: () => currentPace(settings, limits),
    places: () => standing(settings, limits),
    signal: stopping.signal,
  });
  const admission = createAdmissions({
    ...settings,
    ...limits,
    onRateLimited: (until) => {
      base.hold.failed({ until: new Date(until).toISOString() });
      base.redis?.state.close(until).catch(base.onError);
    },
  });
  const shared = { gate, bell, places, consult, admission };
  return [
    {
      ...shared,
      lane: 'interactive',
      line: lines.interactive,
      pace: async () => {},
      sent: () => {},
    },
    { ...shared, lane: 'bulk', line: lines.bulk, pace: pace.wait, sent: pace.sent },
  ];
}

function currentPace({ holdMs, burst, reserve }: ThrottleSettings, limits: Limits): Pace {
  const intervalMs = holdMs / bulkPlaces(limits.allowed.count(), reserve);
  return { holdMs, intervalMs, burst: limits.gate.cautious() ? 0 : burst };
}

async function standing({ reserve }: ThrottleSettings, { places, allowed, calls }: Limits) {
  const taken = await places.taken();
  const freeOfAccount = allowed.count() - taken.account;
  const freeOfBulk = bulkPlaces(allowed.count(), reserve) - taken.bulk;
  return {
    taken: taken.bulk,
    takenByPeople: taken.account - taken.bulk,
    free: Math.min(freeOfAccount, freeOfBulk),
    nextReturnAt: calls.nextReturnAt(),
  };
}

// The address may name a customer; keys in a store that others read do not.
function accountId({ account }: ThrottleSettings): string {
  return `pigeonhole:${createHash('sha256').update(account).digest('hex').slice(0, 16)}`;
}
