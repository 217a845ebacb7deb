import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import Bottleneck from 'bottleneck';
import type { Redis } from 'ioredis';
import {
  type AdaptiveLimit,
  type Lane,
  type Standing,
  slotsOf,
  type ThrottleOptions,
} from './limits.ts';

const require = createRequire(import.meta.url);

/** For what the service's clock and ours may differ by while a window passes. */
const MARGIN_MS = 25;
/** How much longer than promised a shared slot lasts, so that it never ends under a live call. */
const EXPIRATION_SLACK_MS = 1000;

/** The right to have one request within the window. */
export interface Slot {
  /** The queue of the call that has it. */
  queue?: string | undefined;
  /** How long its call may take, in milliseconds: where others share it, it comes back after that. */
  longestMs: number;
  /** When it comes back, by our clock; absent while its call is under way. */
  returnsAt?: number;
  /** The call is over: its slot comes back one window later, or at once if nothing was sent. */
  end(sent: boolean): void;
}

/**
 * The slots of an account's rate window, on Bottleneck limiters. A slot is a job that hands itself out at
 * once and runs until one window after its call: so `maxConcurrent` holds for any window, where a
 * reservoir lets twice the limit through around its refresh. Each lane's limiter is chained in front of
 * the account's. `onError` is told of failures of Redis that mend by themselves, `onMessage` what any
 * instance has published, this one too.
 */
export function createSlots(
  options: ThrottleOptions,
  adaptive: AdaptiveLimit,
  { onError, onMessage }: { onError(error: unknown): void; onMessage(message: string): void },
) {
  const { clock, limit } = options;
  // Redis may have forgotten everything when it is back.
  const redis = options.redis && connectRedis(options.redis, () => adaptive.hold(limit.windowMs));
  const connection = redis && new Bottleneck.IORedisConnection({ client: redis });
  connection?.on('error', onError);
  const holdMs = limit.windowMs + MARGIN_MS;
  // The address may name a customer; keys in a store that others read do not.
  const account = createHash('sha256').update(options.account).digest('hex').slice(0, 16);
  const taken = new Set<Slot>();
  const lettingGo = new AbortController();
  let limiters = buildAll();
  let size: number | null = null;

  function build(part: string): Bottleneck {
    const limiter = new Bottleneck({
      id: `pigeonhole:${account}:${part}`,
      maxConcurrent: 1,
      connection: connection ?? null,
      heartbeatInterval: Math.ceil(holdMs / 4),
    });
    limiter.on('error', onError);
    if (!connection) forgetTheLast(limiter);
    // Who takes a slot meets the failure; until then nobody need wait.
    limiter.ready().catch(() => {});
    return limiter;
  }

  function buildAll() {
    const all = build('account');
    all.on('message', onMessage);
    const [interactive, bulk] = [build('interactive').chain(all), build('bulk').chain(all)];
    return { all, interactive, bulk, alone: build('alone') };
  }

  // Limiters whose first contact with their store failed never recover: the next are new ones.
  function renew(error: unknown): never {
    [limiters, size] = [buildAll(), null];
    throw error;
  }

  async function ready() {
    const current = limiters;
    await Promise.all(Object.values(current).map((limiter) => limiter.ready())).catch(renew);
    const to = adaptive.slots();
    if (to === size) return current;
    await current.all.updateSettings({ maxConcurrent: to });
    await current.interactive.updateSettings({ maxConcurrent: slotsOf(to).interactive });
    await current.bulk.updateSettings({ maxConcurrent: slotsOf(to).bulk });
    size = to;
    return current;
  }

  function hold(longestMs: number, free: () => void, endTurn?: () => void): Slot {
    const slot: Slot = {
      longestMs,
      async end(sent) {
        endTurn?.();
        if (sent) {
          slot.returnsAt = clock.now() + holdMs;
          await clock.sleep(holdMs, lettingGo.signal).catch(() => {});
        }
        taken.delete(slot);
        free();
      },
    };
    taken.add(slot);
    return slot;
  }

  return {
    /**
     * Waits for a slot for a call that takes `timeoutMs` at the longest; while the limit is probed, until
     * the call before is over, or for a window. Rejects when stopped, or when Redis cannot be asked.
     */
    async take(lane: Lane, timeoutMs: number): Promise<Slot> {
      const { alone, [lane]: limiter } = await ready();
      const priority = lane === 'interactive' ? 0 : 9;
      const turn = { priority, expiration: holdMs };
      const endTurn = adaptive.isProbing() ? await start(alone, turn) : undefined;
      const longestMs = connection ? timeoutMs : Number.POSITIVE_INFINITY;
      // The shared slot of a process that died comes back a window after its call would have been over.
      const expiration = connection ? longestMs + holdMs + EXPIRATION_SLACK_MS : null;
      try {
        return hold(longestMs, await start(limiter, { priority, expiration }), endTurn);
      } catch (error) {
        endTurn?.();
        throw error;
      }
    },
    /** Those that this process has taken. */
    taken: (): readonly Slot[] => [...taken],
    async standing(): Promise<Standing> {
      const { all, interactive } = await ready();
      const [running, people] = await Promise.all([all.running(), interactive.running()]);
      const [now, slots] = [clock.now(), adaptive.slots()];
      const leftForPeople = slotsOf(slots).interactive - people;
      // What a clock that has been set back since puts off comes back after a window all the same.
      const end = now + holdMs;
      const own = [...taken].map(({ returnsAt = end }) => Math.min(returnsAt, end));
      const returns = [...own, end].sort((a, b) => a - b);
      return { now, slots, free: slots - running, leftForPeople, returns, holdMs };
    },
    publish: (message: string) => limiters.all.publish(message),
    check: async (): Promise<void> => void (await redis?.ping()),
    /**
     * Rejects who waits. Slots that others share are given back when they are due, not before, nor left
     * to expire: this waits for them, for a window at the most.
     */
    async stop(): Promise<void> {
      const ended = Promise.allSettled(Object.values(limiters).map((limiter) => limiter.stop()));
      if (connection) await Promise.race([ended, clock.sleep(holdMs)]);
      lettingGo.abort();
      await connection?.disconnect(false);
    },
  };
}

/** Starts a job that does nothing but last; resolves with what ends it. */
async function start(limiter: Bottleneck, options: Bottleneck.JobOptions): Promise<() => void> {
  const started = Promise.withResolvers<() => void>();
  const job = () => new Promise<void>(started.resolve);
  // Once it runs, a rejection only says that it expired: the call took longer than it said.
  limiter.schedule(options, job).catch(started.reject);
  return started.promise;
}

// Bottleneck notes when the last job began, to keep a time between jobs: we keep none, and a clock that
// is set back would make the next job wait for as long.
function forgetTheLast(limiter: Bottleneck): void {
  const store: unknown = Reflect.get(limiter, '_store');
  const never = { get: () => 0, set: () => undefined };
  if (store instanceof Object) Object.defineProperty(store, '_nextRequest', never);
}

/** Connects to Redis, again and again while it is away; `onLost` is called whenever the connection breaks. */
function connectRedis(
  { url, verifyCertificate = true }: NonNullable<ThrottleOptions['redis']>,
  onLost: () => void,
): Redis {
  // Most do without Redis, and start sooner without its client.
  const { Redis }: typeof import('ioredis') = require('ioredis');
  const anyCertificate = url.startsWith('rediss:') && !verifyCertificate;
  const client = new Redis(url, {
    // A command whose answer was lost is not sent again: taking a slot twice would lose one for good.
    maxRetriesPerRequest: 0,
    ...(anyCertificate && { tls: { rejectUnauthorized: false } }),
  });
  client.on('ready', () => client.once('close', onLost));
  mendScripts(client);
  return client;
}

// In milliseconds.
const REDIS_TIME =
  "(function(t) return t[1] * 1000 + math.floor(t[2] / 1000) end)(redis.call('time'))";

/**
 * Bottleneck's scripts go by the clock of who calls them: by one that is ahead, slots of others would end
 * too early. They go by that of Redis instead. And a limiter that Redis has forgotten introduces itself
 * again on an error like `UNKNOWN_CLIENT`: Redis 7 puts `ERR ` in front of what `error_reply` makes, which
 * Bottleneck does not know.
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
