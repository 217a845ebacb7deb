import { systemRandom } from '../../src/base/index.ts';
import { CatchUpSchedule, type EngineContext, JobLoop, reading } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { slackTsFrom, type Workspace } from '../../src/slack/index.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { running } from '../support/running.ts';
import { contextOf } from './context-of.ts';

/** How long a run goes on while something is still to be read, in milliseconds. */
const MAX_MS = 15 * 60_000;

interface Parts {
  ledger: Ledger;
  clock: FakeClock;
  workspace: Pick<Workspace, 'channels' | 'history'> & Partial<Workspace>;
  eventsSince: () => number;
  /** Default: the same destination for all channels. */
  findDestination?: EngineContext['findDestination'];
  /** Stops the process. */
  signal?: AbortSignal;
}

/**
 * Catches all channels up in one process until nothing is left to read; returns how many files were
 * recorded.
 */
export async function runCatchUp(parts: Parts): Promise<number> {
  const { clock, signal } = parts;
  const identity = { team: 'T1', botUserId: 'UBOT', botId: undefined };
  const destination = {
    projectId: 1,
    folderId: 2,
    projectTitle: null,
    folderName: null,
    isDefault: true,
  };
  const { ledger, seen } = watched(parts.ledger);
  const process = running();
  const context = contextOf({
    ...{ ledger, clock, eventsSince: parts.eventsSince, random: systemRandom, ...process },
    workspace: { ...parts.workspace, identity },
    findDestination: parts.findDestination ?? (async () => destination),
    wake: () => readers.wake(),
  });
  const readers = new JobLoop({ ...context, leaseMs: 60_000, pollMs: 60_000 }, reading(context));
  const schedule = new CatchUpSchedule(context, {
    begunTs: slackTsFrom(clock.now()),
    wasAway: true,
  });
  const stop = () => Promise.all([process.stop(), readers.stop(0)]);
  signal?.addEventListener('abort', () => void stop());
  readers.start();
  schedule.start();
  const isDone = async () =>
    signal?.aborted || (seen.listed && (await parts.ledger.nextDue('catch-up')) === null);
  for (const end = clock.now() + MAX_MS; clock.now() < end; await clock.advance(1_000)) {
    // All happens that takes no time.
    await clock.advance(0);
    if (await isDone()) break;
  }
  await stop();
  return seen.files;
}

function watched(ledger: Ledger) {
  const seen = { files: 0, listed: false };
  const watching: Ledger = {
    ...ledger,
    recordFound: async (...given) => {
      const recorded = await ledger.recordFound(...given);
      seen.files += recorded.files;
      return recorded;
    },
    requestCatchUp: async (asked) => {
      await ledger.requestCatchUp(asked);
      seen.listed = asked.all;
    },
  };
  return { ledger: watching, seen };
}
