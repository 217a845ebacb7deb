import { silentLogger } from '../../src/base/index.ts';
import type { ServiceClient } from '../../src/service/index.ts';
import type { WorkerContext } from '../../src/worker/index.ts';

import { foldersInMemory } from '../support/folders-in-memory.ts';

type Call = (...given: never[]) => unknown;

/** Parts of the context, of which those with methods may lack some. */
export type GivenContext = {
  [Part in keyof WorkerContext]?: WorkerContext[Part] extends Call
    ? WorkerContext[Part]
    : Partial<WorkerContext[Part]>;
};

/**
 * Returns a context of these parts. Other parts are plain ones, or missing. Folders are read as the
 * service's `listFiles` lists them.
 */
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
  const listFiles = given.service?.listFiles ?? unlisted;
  const { folders, mirror } = foldersInMemory((...call) => listFiles(...call));
  const stands = given.folders ? {} : mirror;
  const ledger = Object.assign(Object.create(given.ledger ?? null), stands);
  return { folders, ...plain, ...given, ledger } as WorkerContext;
}

const unlisted: ServiceClient['listFiles'] = () => Promise.reject(new Error('no list was given'));
