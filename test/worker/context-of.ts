import { silentLogger } from '../../src/base/index.ts';
import type { WorkerContext } from '../../src/worker/index.ts';

type Call = (...given: never[]) => unknown;

/** Parts of the context, of which those with methods may lack some. */
export type GivenContext = {
  [Part in keyof WorkerContext]?: WorkerContext[Part] extends Call
    ? WorkerContext[Part]
    : Partial<WorkerContext[Part]>;
};

/** Returns a context of these parts. Other parts are plain ones, or missing. */
export function contextOf(given: GivenContext): WorkerContext {
  const plain = {
    random: { fraction: () => 0.5, id: () => 'id' },
    logger: silentLogger,
    keyBreaker: { state: 'closed', open: () => undefined, close: () => undefined },
    operatorWatch: {
      ...{ failed: async () => undefined, succeeded: () => undefined },
      channelsListed: () => undefined,
    },
    uploads: new Map(),
    lastUpload: { at: 0 },
    ...{ messagePause: { until: 0 }, reactionPause: { until: 0 } },
    ...{ operator: null, linkBy: 'admins', settleMs: 0, backoffScale: 1 },
    maySend: () => true,
    isLimitAway: () => false,
    wake: () => undefined,
  } as const;
  return { ...plain, ...given } as WorkerContext;
}
