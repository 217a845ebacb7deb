export { type Backgrounds, createBackgrounds } from './backgrounds.ts';
export { type Clock, systemClock } from './clock.ts';
export { PigeonholeError } from './error.ts';
export { ERROR_CODES, type ErrorCode } from './error-codes.ts';
export { isSafeAddress } from './is-safe-address.ts';
export { isServerAddress } from './is-server-address.ts';
export { createLogger, type Logger, type LogLevel, silentLogger } from './logger.ts';
export { makeFolder } from './make-folder.ts';
export { type Random, systemRandom } from './random.ts';
