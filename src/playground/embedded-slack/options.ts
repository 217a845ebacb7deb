import type { Clock, Random } from '../../base/index.ts';
import type { Keys } from './keys.ts';
import type { CallBudget } from './web-api/faults.ts';

export interface EmbeddedSlackOptions {
  /** A directory for the files' bytes; they need not outlive the process. */
  dataDir: string;
  /** Default: any free one. */
  port?: number;
  /** Stamps signatures too, so that it must be near the app's. Default: the machine's. */
  clock?: Clock;
  random?: Random;
  /** Default: other ones at every start, so that nothing but the app can know them. */
  keys?: Partial<Keys>;
  /** Where the app listens; see `connectApp`. */
  appUrl?: string;
  /** How often methods may be called, by method; without: as often as wanted. */
  rateLimits?: Record<string, CallBudget>;
  /** The most messages a page of history has: 15 shows what sold apps get. Default 1,000. */
  historyPageLimit?: number;
  /** Waits before an event is delivered again, in milliseconds; Slack: 0, 60,000, 300,000. */
  retryDelaysMs?: readonly number[];
  /** How long the app may take to answer, in milliseconds. Default 3,000, as Slack. */
  patienceMs?: number;
  /** The scopes that the app's token is said to have, with every answer. Default: nothing is said. */
  scopes?: readonly string[];
  /** Types of events that the app gets. Default: what its manifest subscribes to. */
  subscriptions?: readonly string[];
}
