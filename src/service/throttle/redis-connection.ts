import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import type { RedisOptions } from './throttle.ts';

/**
 * Connects Bottleneck's limiters to Redis, and goes on connecting while it is away. `onLost` is called
 * whenever the connection breaks: Redis may have forgotten everything when it is back.
 */
export function connectRedis(options: RedisOptions, onLost: () => void) {
  const { url, verifyCertificate = true } = options;
  const anyCertificate = url.startsWith('rediss:') && !verifyCertificate;
  const client = new LimiterRedis(url, {
    // A command whose answer was lost is not sent again: taking a slot twice would lose one for good.
    maxRetriesPerRequest: 0,
    ...(anyCertificate && { tls: { rejectUnauthorized: false } }),
  });
  client.on('ready', () => client.once('close', onLost));
  return { client, connection: new Bottleneck.IORedisConnection({ client }) };
}

/**
 * Bottleneck's scripts answer with errors like `UNKNOWN_CLIENT` where Redis has forgotten a limiter, which
 * then introduces itself again. Redis 7 puts `ERR ` in front of what `error_reply` makes; Bottleneck does
 * not know that, and the limiter would stay forgotten for good.
 */
class LimiterRedis extends Redis {
  override defineCommand(name: string, definition: { lua: string }): void {
    const lua = definition.lua.replaceAll(/redis\.error_reply\((.*)\)/g, '{ err = $1 }');
    super.defineCommand(name, { ...definition, lua });
  }
}
