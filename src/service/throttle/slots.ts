import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import Bottleneck from 'bottleneck';
import type { Redis as RedisClient } from 'ioredis';
import { createOutage, inTime, MAX_RETRY_AFTER_MS } from '../../base/index.ts';
import {
  type AdaptiveLimit,
  type Admission,
  createBulkPace,
  halved,
  type Lane,
  type Outcome,
  slotsOf,
  type ThrottleOptions,
} from './limits.ts';

const require = createRequire(import.meta.url);

/** Allowance for the drift between the service's clock and ours within a window. */
const MARGIN_MS = 25;
/** How far the machine's clock may be set back unnoticed: calls wait for at most as long. */
const SET_BACK_MS = 1_000;
/** How long the key of a check stays in Redis, in milliseconds. */
const CHECK_KEPT_MS = 60_000;
/** Added to a shared slot's expiration, so that it never expires during its call. */
const EXPIRATION_SLACK_MS = 1000;

/** A slot, taken for a call of `queue`; `returnsAt`, by our clock, is set when that has ended. */
type Slot = Admission & { queue?: string | undefined; returnsAt?: number };

/** Where a slot was taken, and what ends when it returns. */
interface Taken {
  lane: Lane;
  returned: Promise<void>;
}

/**
 * Creates the slots of an account's rate window. Each is a Bottleneck job that runs until a window
 * after its call, so `maxConcurrent` limits any window; a reservoir lets twice the limit through
 * around its refresh. `onError` is called with Redis failures that recover by themselves.
 */
export function createSlots(
  options: ThrottleOptions,
  adaptive: AdaptiveLimit,
  onError: (error: unknown) => void,
) {
  const { clock, limit, logger } = options;
  // Hashed: the address may name a customer, and others may read the keys in Redis.
  const account = `pigeonhole:${hash('sha256', options.account).slice(0, 16)}`;
  const holdMs = limit.windowMs + MARGIN_MS;
  const taken = new Map<Slot, Taken>();
  const stopping = new AbortController();
  const outage = createOutage(logger, {
    begins: 'The file service asks to wait (429): nothing is sent until then',
    ends: 'The file service takes calls again',
  });
  const pace = createBulkPace({ state }, options, stopping.signal);
  const redis = options.redis && connectRedis(options.redis);
  // Redis may lose all slots before it is back.
  const onLost = () => adaptive.hold(limit.windowMs);
  redis?.on('ready', () => redis.once('close', onLost));
  const connection = redis && new Bottleneck.IORedisConnection({ client: redis });
  connection?.on('error', onError);
  holdIfNew().catch(onLost);
  let [limiters, size, shown] = [buildAll(), 0, clock.wall()];
  /** Resolves when new limiters have begun with what is taken. */
  let occupied: Promise<unknown> = Promise.resolve();

  // Others, or a process before, may just have sent.
  async function holdIfNew(): Promise<void> {
    const knownForMs = await redis?.eval(KNOWN_FOR, 1, `${account}:known`);
    if (Number(knownForMs) < limit.windowMs) onLost();
  }

  function build(part: string): Bottleneck {
    const limiter = new Bottleneck({
      id: `${account}:${part}`,
      maxConcurrent: 1,
      connection: connection ?? null,
      heartbeatInterval: Math.ceil(holdMs / 4),
    });
    limiter.on('error', onError);
    // `ready` reports the failure; without a handler here it would be an unhandled rejection.
    limiter.ready().catch(() => {});
    return limiter;
  }

  function buildAll() {
    const all = build('account');
    all.on('message', (text: string) => {
      const hold = parseHold(text);
      if (hold) apply(hold);
    });
    const [interactive, bulk] = [build('interactive').chain(all), build('bulk').chain(all)];
    return { all, interactive, bulk, alone: build('alone') };
  }

  // Bottleneck goes by the machine's clock: where that is set back, its next job would wait until it
  // shows the time of the job before again. In new limiters, what is taken comes first.
  function replaceIfSetBack(): void {
    const now = clock.wall();
    const isSetBack = now < shown - SET_BACK_MS;
    shown = now;
    // Redis' clock counts for shared slots.
    if (!isSetBack || connection) return;
    const old = Object.values(limiters);
    [limiters, size] = [buildAll(), 0];
    occupied = Promise.allSettled(
      [...taken.values()].map(({ lane, returned }) =>
        occupy(limiters[lane], { priority: 0 }, () => returned),
      ),
    );
    for (const limiter of old) limiter.stop().catch(() => {});
  }

  async function ready() {
    replaceIfSetBack();
    const current = limiters;
    await Promise.all(Object.values(current).map((limiter) => limiter.ready())).catch((error) => {
      // Limiters never recover if their first connection to Redis failed, so they are replaced.
      [limiters, size] = [buildAll(), 0];
      throw error;
    });
    const to = adaptive.slots();
    if (to !== size) {
      await current.all.updateSettings({ maxConcurrent: to });
      await current.interactive.updateSettings({ maxConcurrent: slotsOf(to).interactive });
      await current.bulk.updateSettings({ maxConcurrent: slotsOf(to).bulk });
      size = to;
    }
    // A call of one lane would take the place of what is still on its way through the other.
    await occupied;
    return current;
  }

  async function state() {
    const { all, interactive } = await ready();
    const [running, people] = await Promise.all([all.running(), interactive.running()]);
    const [now, slots] = [clock.now(), adaptive.slots()];
    const leftForPeople = slotsOf(slots).interactive - people;
    const end = now + holdMs;
    const own = [...taken.keys()].map(({ returnsAt = end }) => returnsAt);
    const returns = [...own, end].sort((a, b) => a - b);
    return { now, slots, free: slots - running, leftForPeople, returns, holdMs };
  }

  // A hold of 0 ends the probing.
  function apply({ forMs, slots }: HoldMessage): void {
    if (forMs > 0) {
      adaptive.hold(forMs, slots);
      outage.failed({ until: new Date(adaptive.heldUntil() ?? clock.now()).toISOString() });
    } else {
      adaptive.free();
      outage.fine();
    }
  }

  function report({ sent, rateLimitedForMs }: Outcome, isStale: boolean): void {
    const forMs = rateLimitedForMs === undefined ? 0 : Math.max(1, rateLimitedForMs);
    if (forMs === 0 && (isStale || !sent || !adaptive.isProbing())) return;
    const slots = adaptive.slots();
    // A 429 for a call from before the last hold says nothing new, so it does not halve again.
    const hold = {
      forMs: Math.min(Math.ceil(forMs), MAX_RETRY_AFTER_MS),
      slots: forMs > 0 && !isStale ? halved(slots) : slots,
    };
    apply(hold);
    if (redis) limiters.all.publish(`${hold.forMs} ${hold.slots}`).catch(onError);
  }

  return {
    /**
     * Waits for a slot for a call of at most `timeoutMs`, at the pace of the bulk lane; while probing,
     * also for the call before to end, a window at most. Rejects when stopped or without Redis.
     */
    async take(lane: Lane, timeoutMs: number): Promise<Slot> {
      const hold = adaptive.holds();
      const isStale = () => hold !== adaptive.holds();
      const countAsUnsent = lane === 'bulk' ? await pace() : () => {};
      const priority = lane === 'interactive' ? 0 : 9;
      const longestMs = connection ? timeoutMs : Number.POSITIVE_INFINITY;
      // If a process dies, its shared slot returns one window after the call's timeout.
      const expiration = connection ? longestMs + holdMs + EXPIRATION_SLACK_MS : null;
      const { promise: ended, resolve: done } = Promise.withResolvers<Outcome>();
      const slot: Slot = { longestMs, isStale, done };
      const returned = ended.then(async (outcome) => {
        report(outcome, isStale());
        if (outcome.sent) {
          const takenForMs = holdMs + (outcome.mayArriveForMs ?? 0);
          slot.returnsAt = clock.now() + takenForMs;
          await clock.sleep(takenForMs, stopping.signal).catch(() => {});
        } else countAsUnsent();
        taken.delete(slot);
        // Before the limiter begins its next job.
        replaceIfSetBack();
      });
      const begin = async (): Promise<void> => {
        const current = await ready();
        const { alone, [lane]: limiter } = current;
        try {
          if (adaptive.isProbing())
            await occupy(alone, { priority, expiration: holdMs }, () => ended);
          await occupy(limiter, { priority, expiration }, () => {
            taken.set(slot, { lane, returned });
            return returned;
          });
        } catch (error) {
          if (current === limiters) throw error;
          // Those that were replaced have dropped what waited in them.
          await begin();
        }
      };
      try {
        await begin();
        // Somebody may have deleted Redis' data, and with them all slots; this one is stale then.
        await holdIfNew();
        return slot;
      } catch (error) {
        done({ sent: false });
        throw error;
      }
    },
    taken: (): readonly Slot[] => [...taken.keys()],
    check: async (): Promise<void> => {
      await redis?.set(`${account}:check`, '', 'PX', CHECK_KEPT_MS);
    },
    /** Ends all waits. With Redis, waits for the taken slots to return, a window at most. */
    async stop(): Promise<void> {
      const ended = Promise.allSettled(Object.values(limiters).map((limiter) => limiter.stop()));
      if (connection) await inTime(ended, { clock, ms: holdMs, late: null });
      stopping.abort();
      await connection?.disconnect(false);
    },
  };
}

/** What instances tell each other: hold all calls for `forMs` milliseconds, then use these slots. */
interface HoldMessage {
  forMs: number;
  slots: number;
}

// Anybody who reaches Redis may write to the channel, so other texts than those of `report` are
// left alone.
function parseHold(text: string): HoldMessage | null {
  const [, forMs, slots] = (/^(\d{1,6}) (\d{1,4})$/.exec(text) ?? []).map(Number);
  if (forMs === undefined || forMs > MAX_RETRY_AFTER_MS) return null;
  return slots ? { forMs, slots } : null;
}

/** Resolves when the limiter starts a job; `begin` returns what it lasts until. */
async function occupy(
  limiter: Bottleneck,
  options: Bottleneck.JobOptions,
  begin: () => Promise<unknown>,
) {
  const started = Promise.withResolvers<void>();
  const job = () => {
    started.resolve();
    return begin();
  };
  // After the start a rejection has no effect: the job expired because its call took too long.
  limiter.schedule(options, job).catch(started.reject);
  return started.promise;
}

/**
 * What a Redis answers that has become a replica, or is being loaded as one. Its address may lead to
 * the new primary by now; Redis before version 7 puts the word within the error of a script.
 */
const NOT_PRIMARY = /\b(READONLY|LOADING|MASTERDOWN)\b/;

/** Connects to Redis, and reconnects by itself. */
function connectRedis({ url, verifyCertificate = true }: NonNullable<ThrottleOptions['redis']>) {
  // Loaded only when used: most installations have no Redis and start faster without its client.
  const { Redis }: typeof import('ioredis') = require('ioredis');
  class RedisOfLimiters extends Redis {
    // Bottleneck's scripts use Redis' clock, as a caller whose own is ahead would end the slots of
    // others. And they return plain error tables: Redis 7 adds `ERR ` to an `error_reply`, by which
    // Bottleneck would not know that Redis forgot a limiter, which then registers again.
    override defineCommand(...[name, definition]: Parameters<RedisClient['defineCommand']>) {
      const lua = definition.lua
        .replaceAll(/redis\.error_reply\((.*)\)/g, '{ err = $1 }')
        .replace('tonumber(ARGV[1])', NOW_MS);
      super.defineCommand(name, { ...definition, lua });
    }

    // Bottleneck listens on a second connection. Left at the server that the first one leaves, it
    // would hear nothing of the new one, and calls that wait for a slot would wait for ever. So would
    // they if a subscription failed: it is sent again until it takes place, which does no harm.
    override duplicate(given?: Parameters<RedisClient['duplicate']>[0]) {
      const listening = super.duplicate({ ...given, maxRetriesPerRequest: null });
      this.on('ready', () => this.once('close', () => listening.disconnect(true)));
      return listening;
    }
  }
  return new RedisOfLimiters(url, {
    // No retries: a repeated command whose reply was lost could take a second slot for good.
    maxRetriesPerRequest: 0,
    // After this time without a reply the connection counts as lost.
    socketTimeout: 10_000,
    reconnectOnError: ({ message }) => NOT_PRIMARY.test(message),
    ...(url.startsWith('rediss:') && !verifyCertificate && { tls: { rejectUnauthorized: false } }),
  });
}

// A Lua expression for Redis' time in milliseconds.
const NOW_MS = "(function(t) return t[1] * 1000 + math.floor(t[2] / 1000) end)(redis.call('time'))";

/** Returns for how many milliseconds Redis has known the account: anew if its clock is set back. */
const KNOWN_FOR = `local now, since = ${NOW_MS}, tonumber(redis.call('get', KEYS[1]))
  if not since or since > now then redis.call('set', KEYS[1], now) end
  return now - (since or now)`;
