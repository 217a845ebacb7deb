import { Redis } from 'ioredis';

/** What a Redis script is called with: its arguments, and last a callback. */
type Callback = (error: Error | null, reply?: unknown) => void;

const ADDED_BY_REDIS = /^ERR /;

/**
 * A Redis client for Bottleneck's scripts. They answer with errors like `UNKNOWN_CLIENT`, by which
 * Bottleneck sees that Redis has forgotten it and introduces itself again. Redis 7 puts `ERR ` in
 * front, which Bottleneck does not know: without this, a limiter that was forgotten stays so for
 * good.
 */
export class LimiterRedis extends Redis {
  override defineCommand(...definition: Parameters<Redis['defineCommand']>): void {
    super.defineCommand(...definition);
    const [name] = definition;
    const run: unknown = Reflect.get(this, name);
    if (typeof run !== 'function') return;
    Reflect.set(this, name, (...args: unknown[]) => {
      const callback = args.at(-1);
      if (!isCallback(callback)) return run.apply(this, args);
      const unprefixed: Callback = (error, reply) => callback(error && withoutPrefix(error), reply);
      return run.apply(this, [...args.slice(0, -1), unprefixed]);
    });
  }
}

function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

function withoutPrefix(error: Error): Error {
  if (!ADDED_BY_REDIS.test(error.message)) return error;
  return new Error(error.message.replace(ADDED_BY_REDIS, ''), { cause: error });
}
