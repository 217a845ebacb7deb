export { createAgents } from './agents.ts';
export { backoff, believedWait, MAX_RETRY_AFTER_MS } from './backoff.ts';
export {
  type Clock,
  createWakeable,
  type Deadline,
  inTime,
  startDeadline,
  systemClock,
  unlessAborted,
  within,
} from './clock.ts';
export {
  codeIn,
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  isFinal,
  orNull,
  PigeonholeError,
  wasNotSent,
} from './errors.ts';
export { createLogger, createOutage, LOG_LEVELS, type Logger, silentLogger } from './logger.ts';
export { makeFolder } from './make-folder.ts';
export { type Random, systemRandom } from './random.ts';
export { createSingleFlight } from './single-flight.ts';
