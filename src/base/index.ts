export { type Backgrounds, createBackgrounds } from './backgrounds.ts';
export { backoff } from './backoff.ts';
export { believedWait, LONGEST_WAIT_MS } from './believed-wait.ts';
export { type Clock, systemClock } from './clock.ts';
export { type Deadline, startDeadline, unlessAborted } from './deadline.ts';
export { PigeonholeError } from './error.ts';
export { ERROR_CODES, type ErrorCode } from './error-codes.ts';
export { isSafeAddress } from './is-safe-address.ts';
export { isServerAddress } from './is-server-address.ts';
export { createLogger, type Logger, type LogLevel, silentLogger } from './logger.ts';
export { makeFolder } from './make-folder.ts';
export {
  createPersonalShares,
  type PersonalShare,
  type PersonalShares,
} from './personal-shares.ts';
export type { PortListener } from './port-listener.ts';
export { type Random, systemRandom } from './random.ts';
