import Bottleneck from 'bottleneck';
import type { Allowance } from './allowance.ts';
import { LimiterRedis } from './limiter-redis.ts';
import type { SharedKnowledge, SharedState } from './shared-state.ts';
import type { RedisOptions } from './throttle-options.ts';

/** A throttle's own line to Redis. */
export interface ThrottleRedis {
  /** For Bottleneck's limiters. */
  connection: Bottleneck.IORedisConnection;
  state: SharedState;
  /** Hangs up at once. */
  disconnect(): void;
}

export interface ThrottleRedisOptions extends RedisOptions {
  /** Begins the names of the keys. */
  id: string;
  /** How long what was learned is kept, in milliseconds. */
  keepMs: number;
  /** A new identifier each time, which no other instance has. */
  newId: () => string;
  now: () => number;
  onError: (error: unknown) => void;
}

// Keeps the later of two times: instances that hear of a 429 together never shorten the wait.
const CLOSE_SCRIPT = `
if tonumber(redis.call('get', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Connects, and goes on connecting for as long as Redis is away. */
export function createThrottleRedis(options: ThrottleRedisOptions): ThrottleRedis {
  const { id, now } = options;
  const client = new LimiterRedis(options.url, clientOptions(options));
  const connection = new Bottleneck.IORedisConnection({ client });
  connection.on('error', options.onError);
  const keys = { closed: `${id}:closed-until`, allowed: `${id}:allowed`, memory: `${id}:memory` };
  let memory: string | null = null;

  // Marks the store: a mark that has changed says that the store had lost its memory meanwhile.
  async function recall(found: string | null): Promise<boolean> {
    if (found === null) await client.set(keys.memory, options.newId(), 'NX');
    const current = found ?? (await client.get(keys.memory));
    const forgotten = memory !== null && memory !== current;
    memory = current;
    return forgotten;
  }

  async function read(): Promise<SharedKnowledge> {
    const [closed, allowed, token] = await client.mget(keys.closed, keys.allowed, keys.memory);
    return {
      closedUntil: closed ? Number(closed) : null,
      allowance: parseAllowance(allowed ?? null),
      forgotten: await recall(token ?? null),
    };
  }

  async function close(until: number): Promise<void> {
    const lastsMs = Math.max(1, Math.ceil(until - now()));
    await client.eval(CLOSE_SCRIPT, 1, keys.closed, Math.ceil(until), lastsMs);
  }

  async function allow({ places, changedAt }: Allowance): Promise<void> {
    await client.set(keys.allowed, `${places} ${changedAt}`, 'PX', options.keepMs);
  }

  return {
    connection,
    state: { read, close, allow },
    disconnect: () => void connection.disconnect(false),
  };
}

function clientOptions({ url, verifyCertificate = true }: RedisOptions) {
  // A command whose answer was lost is not sent again: taking a place twice would lose one for good.
  const careful = { maxRetriesPerRequest: 0 };
  const anyCertificate = url.startsWith('rediss:') && !verifyCertificate;
  return anyCertificate ? { ...careful, tls: { rejectUnauthorized: false } } : careful;
}

function parseAllowance(text: string | null): Allowance | null {
  const [places, changedAt] = (text ?? '').split(' ').map(Number);
  return places && changedAt ? { places, changedAt } : null;
}
