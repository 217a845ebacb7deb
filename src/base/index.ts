export { backoff, believedWait, LONGEST_WAIT_MS } from './backoff.ts';
export { type Clock, systemClock } from './clock.ts';
export { createCondition } from './condition.ts';
export { type Deadline, startDeadline, unlessAborted, within } from './deadline.ts';
export { ERROR_CODES, type ErrorCode, type ErrorDetails, PigeonholeError } from './errors.ts';
export { createLogger, createOutage, type Logger, silentLogger } from './logger.ts';
export { makeFolder } from './make-folder.ts';
export { type Random, systemRandom } from './random.ts';
export { isSafeAddress, isServerAddress } from './safe-address.ts';
