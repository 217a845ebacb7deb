import { type Logger as PinoLogger, pino } from 'pino';

/** A structured logger: `log.info({ field }, 'message')`. Secrets are redacted by key. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const SECRET_KEYS = [
  'token',
  'apiKey',
  'signingSecret',
  'authorization',
  'Authorization',
  'X-API-KEY',
  'x-api-key',
  'response_url',
  'responseUrl',
  'trigger_id',
];

/** The process's logger: JSON lines on standard output. */
export function createLogger(level: LogLevel): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_KEYS.flatMap((key) => redactPaths(key)), censor: '[secret]' },
    serializers: { error: describeError },
  });
}

/** A logger that discards everything, for tests and tools. */
export const silentLogger: Logger = pino({ level: 'silent' });

function redactPaths(key: string): string[] {
  const quoted = `["${key}"]`;
  return [quoted, `*${quoted}`, `*.*${quoted}`];
}

// Errors of axios and Slack's client hold whole requests, keys included: only these fields are logged.
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return { name, code, message, cause, stack };
}

/**
 * Logs the beginning of an outage once (`begins`), and its end once (`ends`). At first there is no
 * outage.
 */
export function createOutage(logger: Logger, { begins, ends }: { begins: string; ends: string }) {
  let out = false;
  return {
    failed(fields: object): void {
      if (!out) logger.warn(fields, begins);
      out = true;
    },
    fine(): void {
      if (out) logger.info(ends);
      out = false;
    },
  };
}
