import type { Clock, Random } from '../../base/index.ts';
import type { Keys } from './keys.ts';
import type { CallBudget } from './web-api/faults.ts';

export interface EmbeddedSlackOptions {
  /** A directory for the files' bytes; they need not outlive the process. */
  dataDir: string;
  /** Default: any free port. */
  port?: number;
  /** Also timestamps signatures, so it must be close to the app's clock. Default: the system's. */
  clock?: Clock;
  random?: Random;
  /** Default: random at each start, so that only the app can know them. */
  keys?: Partial<Keys>;
  /** Where the app listens; see `connectApp`. */
  appUrl?: string;
  /** Rate limits by method. Default: none. */
  rateLimits?: Record<string, CallBudget>;
  /** The largest page of history, in messages. Slack gives commercial apps 15. Default 1,000. */
  historyPageLimit?: number;
  /** Waits before an event's retries, in ms. Default 0, 250, 1,000; Slack: 0, 60,000, 300,000. */
  retryDelaysMs?: readonly number[];
  /** How long the app may take to respond, in milliseconds. Default 3,000, as in Slack. */
  patienceMs?: number;
  /** The scopes in the `x-oauth-scopes` header of every response. Default: no such header. */
  scopes?: readonly string[];
  /** Event types that the app gets. Default: the manifest's, plus leaving and uninstalling. */
  subscriptions?: readonly string[];
}
