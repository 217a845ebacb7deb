import { type Logger as BoltLogger, LogLevel as BoltLogLevel } from '@slack/bolt';
import type { Logger } from '../base/index.ts';

/**
 * Our logger in the shape that Bolt wants. Bolt's debug lines hold whole requests, with response
 * addresses and trigger identifiers: they are dropped, and its information lines are our debug.
 */
export function slackLogger(logger: Logger): BoltLogger {
  const join = (parts: unknown[]) => parts.map(describe).join(' ');
  return {
    debug: () => undefined,
    info: (...parts) => logger.debug(join(parts)),
    warn: (...parts) => logger.warn(join(parts)),
    error: (...parts) => logger.error(join(parts)),
    setLevel: () => undefined,
    getLevel: () => BoltLogLevel.INFO,
    setName: () => undefined,
  };
}

function describe(part: unknown): string {
  return part instanceof Error ? part.message : String(part);
}
