import { type Logger as PinoLogger, pino } from 'pino';
import { PigeonholeError } from './errors.ts';

/** A structured logger: `log.info({ field }, 'message')`. Secrets are redacted by key. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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

/** Most bytes of log lines to keep while they cannot be written; later lines are dropped. */
const MAX_UNWRITTEN = 1024 * 1024;

/**
 * The process's logger: JSON lines on standard output. If that cannot be written, as on a full disk
 * or a closed terminal, the process goes on.
 */
export function createLogger(level: LogLevel): Logger {
  // Synchronous, because at the end of the process pino would wait for an asynchronous one for ever.
  const output = pino.destination({ fd: 1, sync: true, maxLength: MAX_UNWRITTEN });
  output.on('error', () => undefined);
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_KEYS.flatMap((key) => redactPaths(key)), censor: '[secret]' },
    serializers: { error: describeError },
  };
  return pino(options, output);
}

/** A logger that discards everything, for tests and tools. */
export const silentLogger: Logger = pino({ level: 'silent' });

function redactPaths(key: string): string[] {
  const quoted = `["${key}"]`;
  return [quoted, `*${quoted}`, `*.*${quoted}`];
}

// Errors of axios and Slack's client hold whole requests, keys included: only these fields are logged.
// Where a foreseen failure came from is no help to an operator.
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  const isForeseen = error instanceof PigeonholeError && code !== 'UNEXPECTED';
  return { name, code, message, cause, ...(!isForeseen && { stack }) };
}

export type Outage = ReturnType<typeof createOutage>;

interface OutageOptions {
  begins: string;
  ends: string;
  /** Called after each of the two, with whether the outage lasts. */
  onChange?: ((lasts: boolean) => void) | undefined;
}

/**
 * Logs the beginning of an outage once (`begins`), and its end once (`ends`), when it is over for
 * all of those whom it hit. At first there is no outage.
 */
export function createOutage(logger: Logger, { begins, ends, onChange }: OutageOptions) {
  const hit = new Set<unknown>();
  return {
    lasts: () => hit.size > 0,
    /** `whom`: any value, if there are several. */
    failed(fields: object, whom: unknown = null): void {
      const isFirst = hit.size === 0;
      hit.add(whom);
      if (!isFirst) return;
      logger.warn(fields, begins);
      onChange?.(true);
    },
    fine(whom: unknown = null): void {
      if (!hit.delete(whom) || hit.size > 0) return;
      logger.info(ends);
      onChange?.(false);
    },
  };
}
