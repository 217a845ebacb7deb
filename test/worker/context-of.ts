import { silentLogger } from '../../src/base/index.ts';
import type { ChannelRef } from '../../src/transfers/index.ts';
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
    operatorWatch: { channelsListed: () => undefined },
    defaultFolder: null,
    findDestination: async (channel: ChannelRef) => {
      const link = await given.ledger?.findLink?.(channel);
      return link ? { ...link, isDefault: false } : null;
    },
    inBackground: () => undefined,
    uploads: new Map(),
    lastUpload: { at: 0 },
    ...{ messagePause: { until: 0 }, reactionPause: { until: 0 } },
    ...{ operator: null, linkBy: 'admins', settleMs: 0, backoffScale: 1 },
    isLimitAway: () => false,
    wake: () => undefined,
  } as const;
  return { ...plain, ...given } as WorkerContext;
}
