import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import Bottleneck from 'bottleneck';
import type { Redis } from 'ioredis';
import { createOutage } from '../../base/index.ts';
import {
  type AdaptiveLimit,
  type Admission,
  createBulkPace,
  halved,
  type Lane,
  type Outcome,
  type Standing,
  slotsOf,
  type ThrottleOptions,
} from './limits.ts';

const require = createRequire(import.meta.url);

/** Allowance for the drift between the service's clock and ours within a window. */
const MARGIN_MS = 25;
/** Added to a shared slot's expiration, so that it never expires during its call. */
const EXPIRATION_SLACK_MS = 1000;
const SERVICE_OUTAGE = {
  begins: 'The file service asks to wait (429): nothing is sent until then',
  ends: 'The file service takes calls again',
};

/** A slot that this process has taken, and the right to send its call. */
export interface Slot extends Admission {
  /** The queue of the call that uses it. */
  queue?: string | undefined;
  /** When it returns, by our clock; absent while its call is in progress. */
  returnsAt?: number;
}

/**
 * Creates the slots of an account's rate window with Bottleneck limiters. A slot is a job that runs
 * until one window after its call, so `maxConcurrent` limits any window, where a reservoir would
 * let twice the limit through around its refresh. Each lane's limiter is chained in front of the
 * account's. What a call says of the limit is applied at once, and published to other instances.
 * `onError` is called with Redis failures that recover by themselves.
 */
export function createSlots(
  options: ThrottleOptions,
  adaptive: AdaptiveLimit,
  { onError, signal }: { onError(error: unknown): void; signal: AbortSignal },
) {
  const { clock, limit } = options;
  // Redis may lose all slots before it is back, so calls are held for a window. They are, too, while
  // the account is new to it: others, or a process before, may just have sent.
  const onLost = () => adaptive.hold(limit.windowMs);
  const redis = options.redis && connectRedis(options.redis, onLost);
  const known = limiterId('known', options);
  const holdIfNew = async () => {
    const ms = await redis?.eval(KNOWN_FOR, 1, known);
    if (ms !== undefined && Number(ms) < limit.windowMs) onLost();
  };
  holdIfNew().catch(onLost);
  const connection = redis && new Bottleneck.IORedisConnection({ client: redis });
  connection?.on('error', onError);
  const holdMs = limit.windowMs + MARGIN_MS;
  const taken = new Set<Slot>();
  const stopping = new AbortController();
  const serviceOutage = createOutage(options.logger, SERVICE_OUTAGE);
  const pace = createBulkPace({ standing }, options, signal);
  let limiters = buildAll();

  function build(part: string): Bottleneck {
    const limiter = new Bottleneck({
      id: limiterId(part, options),
      maxConcurrent: 1,
      connection: connection ?? null,
      heartbeatInterval: Math.ceil(holdMs / 4),
    });
    limiter.on('error', onError);
    if (!connection) forgetTheLast(limiter);
    // `take` reports the failure; without a handler here it would be an unhandled rejection.
    limiter.ready().catch(() => {});
    return limiter;
  }

  function buildAll() {
    const all = build('account');
    all.on('message', apply);
    const [interactive, bulk] = [build('interactive').chain(all), build('bulk').chain(all)];
    return { all, interactive, bulk, alone: build('alone'), size: 0 };
  }

  async function ready() {
    const current = limiters;
    const { all, interactive, bulk, alone } = current;
    await Promise.all([all, interactive, bulk, alone].map((one) => one.ready())).catch((error) => {
      // Limiters never recover if their first connection to Redis failed, so they are replaced.
      limiters = buildAll();
      throw error;
    });
    const size = adaptive.slots();
    if (size === current.size) return current;
    await all.updateSettings({ maxConcurrent: size });
    await interactive.updateSettings({ maxConcurrent: slotsOf(size).interactive });
    await bulk.updateSettings({ maxConcurrent: slotsOf(size).bulk });
    current.size = size;
    return current;
  }

  async function standing(): Promise<Standing> {
    const { all, interactive } = await ready();
    const [running, people] = await Promise.all([all.running(), interactive.running()]);
    const [now, slots] = [clock.now(), adaptive.slots()];
    const leftForPeople = slotsOf(slots).interactive - people;
    // Capped, as after the clock is set back `returnsAt` may lie further ahead than a window.
    const end = now + holdMs;
    const own = [...taken].map(({ returnsAt = end }) => Math.min(returnsAt, end));
    const returns = [...own, end].sort((a, b) => a - b);
    return { now, slots, free: slots - running, leftForPeople, returns, holdMs };
  }

  // The message is the hold in milliseconds and the slots after it; a hold of 0 ends the probing.
  function apply(message: string): void {
    const [forMs = 0, to = limit.requests] = message.split(' ').map(Number);
    if (forMs > 0) {
      adaptive.hold(forMs, to);
      serviceOutage.failed({ until: new Date(adaptive.heldUntil() ?? clock.now()).toISOString() });
    } else {
      adaptive.free();
      serviceOutage.fine();
    }
  }

  function report({ sent, rateLimitedForMs }: Outcome, isStale: boolean): void {
    const size = adaptive.slots();
    let message: string;
    // A 429 for a call from before the last hold says nothing new, so it does not halve again.
    if (rateLimitedForMs !== undefined)
      message = `${Math.max(1, rateLimitedForMs)} ${isStale ? size : halved(size)}`;
    else if (sent && !isStale && adaptive.isProbing()) message = `0 ${size}`;
    else return;
    apply(message);
    if (redis) limiters.all.publish(message).catch(onError);
  }

  return {
    /**
     * Waits for a slot for a call of at most `timeoutMs`, in the bulk lane at its pace; while
     * probing, also for the previous call to end, for a window at most. Rejects when stopped or if
     * Redis is unreachable.
     */
    async take(lane: Lane, timeoutMs: number): Promise<Slot> {
      const hold = adaptive.holds();
      const isStale = () => hold !== adaptive.holds();
      const countAsUnsent = lane === 'bulk' ? await pace() : () => undefined;
      const priority = lane === 'interactive' ? 0 : 9;
      const longestMs = connection ? timeoutMs : Number.POSITIVE_INFINITY;
      // If a process dies, its shared slot returns one window after the call's timeout.
      const expiration = connection ? longestMs + holdMs + EXPIRATION_SLACK_MS : null;
      const ended = Promise.withResolvers<Outcome>();
      const slot: Slot = { longestMs, isStale, done: ended.resolve };
      const returned = ended.promise.then(async (outcome) => {
        report(outcome, isStale());
        if (outcome.sent) {
          slot.returnsAt = clock.now() + holdMs;
          await clock.sleep(holdMs, stopping.signal).catch(() => {});
        } else countAsUnsent();
        taken.delete(slot);
      });
      try {
        const { alone, [lane]: limiter } = await ready();
        if (adaptive.isProbing())
          await occupy(alone, { priority, expiration: holdMs }, ended.promise);
        await occupy(limiter, { priority, expiration }, returned);
        taken.add(slot);
        // Somebody may have deleted Redis' data, and with them all slots; this one is stale then.
        await holdIfNew();
        return slot;
      } catch (error) {
        slot.done({ sent: false });
        throw error;
      }
    },
    /** The slots that this process has taken. */
    taken: (): readonly Slot[] => [...taken],
    check: async (): Promise<void> => void (await redis?.ping()),
    /**
     * Rejects waiting calls. With Redis, waits up to a window until the taken slots are due, so
     * that they are given back neither too early nor only when they expire.
     */
    async stop(): Promise<void> {
      const { all, interactive, bulk, alone } = limiters;
      const ended = Promise.allSettled([all, interactive, bulk, alone].map((one) => one.stop()));
      if (connection) await Promise.race([ended, clock.sleep(holdMs)]);
      stopping.abort();
      await connection?.disconnect(false);
    },
  };
}

/** Resolves when the limiter starts a job that lasts until `end` settles. */
async function occupy(limiter: Bottleneck, options: Bottleneck.JobOptions, end: Promise<unknown>) {
  const started = Promise.withResolvers<void>();
  const job = () => {
    started.resolve();
    return end;
  };
  // After the start a rejection has no effect: the job expired because its call took too long.
  limiter.schedule(options, job).catch(started.reject);
  return started.promise;
}

// Bottleneck records when the last job began, for a minimum time between jobs. We set none, but
// after the clock is set back the next job would wait for the difference.
function forgetTheLast(limiter: Bottleneck): void {
  const store: unknown = Reflect.get(limiter, '_store');
  const never = { get: () => 0, set: () => undefined };
  if (store instanceof Object) Object.defineProperty(store, '_nextRequest', never);
}

// Hashed: the address may name a customer, and others may read the keys in Redis.
function limiterId(part: string, { account }: ThrottleOptions): string {
  const hash = createHash('sha256').update(account).digest('hex').slice(0, 16);
  return `pigeonhole:${hash}:${part}`;
}

/** After this time without a reply a connection counts as lost, in milliseconds. */
const SILENT_MS = 10_000;

/** Connects to Redis, and reconnects by itself; calls `onLost` whenever the connection breaks. */
function connectRedis(
  { url, verifyCertificate = true }: NonNullable<ThrottleOptions['redis']>,
  onLost: () => void,
): Redis {
  // Loaded only when used: most installations have no Redis and start faster without its client.
  const { Redis }: typeof import('ioredis') = require('ioredis');
  const client = new Redis(url, {
    // No retries: a repeated command whose reply was lost could take a second slot for good.
    maxRetriesPerRequest: 0,
    socketTimeout: SILENT_MS,
    ...(url.startsWith('rediss:') && !verifyCertificate && { tls: { rejectUnauthorized: false } }),
  });
  client.on('ready', () => client.once('close', onLost));
  mendScripts(client);
  return client;
}

// A Lua expression for Redis' time in milliseconds.
const REDIS_TIME =
  "(function(t) return t[1] * 1000 + math.floor(t[2] / 1000) end)(redis.call('time'))";

/** Returns for how many milliseconds Redis has known the account: 0 for the first who asks. */
const KNOWN_FOR = `redis.call('set', KEYS[1], ${REDIS_TIME}, 'NX')
  return ${REDIS_TIME} - redis.call('get', KEYS[1])`;

/**
 * Patches Bottleneck's Lua scripts in two ways. They use Redis' clock instead of the caller's: a
 * caller whose clock is ahead would end the slots of others too early. And they return plain error
 * tables: a limiter that Redis has forgotten registers again on errors such as `UNKNOWN_CLIENT`,
 * but Redis 7 adds the prefix `ERR ` to an `error_reply`, which Bottleneck does not recognise.
 */
function mendScripts(client: Redis): void {
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, definition) => {
    const lua = definition.lua
      .replaceAll(/redis\.error_reply\((.*)\)/g, '{ err = $1 }')
      .replace('tonumber(ARGV[1])', REDIS_TIME);
    define(name, { ...definition, lua });
  };
}
