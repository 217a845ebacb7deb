import type { Contestant } from '../processes/contestants.ts';
import { REAL_LIMIT, type RunningApp, startWorld, type World } from '../processes/start-world.ts';

export interface BurstPlan {
  shares: number;
  filesEach: number;
  /** How often a person types `/files` meanwhile, in milliseconds; absent: never. */
  askEveryMs?: number;
}

/** How an app fared with many files shared in one moment. */
export interface Burst {
  name: string;
  plan: BurstPlan;
  /** How many of the files were filed. */
  filed: number;
  /** From the first event until the last file was in its folder; infinite where some never were, or one twice. */
  seconds: number;
  requests: number;
  refused: number;
  /** The most requests that arrived in any window, refused ones included. */
  mostInWindow: number;
  /** Milliseconds from each `/files` to its answer. */
  answers: number[];
}

const BYTES = 4 * 1024;
const MAX_MS = 10 * 60_000;
const ANSWER_WITHIN_MS = 60_000;

/** A world with everything shared, and an app that has not heard of it. */
export interface PreparedBurst {
  run(): Promise<Burst>;
  stop(): Promise<void>;
}

/** The files are shared beforehand, so that the time is the app's and the service's alone. */
export async function prepareBurst(
  contestant: Contestant,
  plan: BurstPlan,
  directory: string,
): Promise<PreparedBurst> {
  const world = await startWorld({ directory });
  try {
    const { shares, filesEach } = plan;
    const events = await world.slack.call('prepareShares', { shares, filesEach, bytes: BYTES });
    const app = await world.startApp(contestant);
    const burst = { name: contestant.name, plan };
    return { run: () => run(world, app, { burst, events }), stop: world.stop };
  } catch (error) {
    await world.stop();
    throw error;
  }
}

async function run(
  { slack, service }: World,
  app: RunningApp,
  { burst, events }: { burst: Pick<Burst, 'name' | 'plan'>; events: string[] },
): Promise<Burst> {
  const { shares, filesEach, askEveryMs } = burst.plan;
  const before = await service.call('statistics', undefined);
  await slack.call('connectApp', app.url);
  if (askEveryMs) await slack.call('beginAsking', { everyMs: askEveryMs });
  const goal = { files: shares * filesEach, withinMs: MAX_MS };
  const [begunAt, filed] = await Promise.all([
    slack.call('deliver', events),
    service.call('untilFiled', goal),
  ]);
  const answers = await slack.call('endAsking', { withinMs: ANSWER_WITHIN_MS });
  const after = await service.call('statistics', undefined);
  return {
    ...burst,
    filed: filed.files,
    seconds: filed.files === goal.files ? (filed.at - begunAt) / 1000 : Number.POSITIVE_INFINITY,
    requests: after.total - before.total,
    refused: after.refused - before.refused,
    mostInWindow: after.mostArrived,
    answers,
  };
}

/** The fewest requests that file so many: an upload each, and a create for every 24. */
export function fewestRequests(files: number): number {
  return files + Math.ceil(files / 24);
}

/**
 * The least time for so many requests under the real limit, in seconds. `bursting`: the first 25 at
 * once, and so on each time the window allows; `steady`: as many a second as the limit is on average.
 */
export function leastSeconds(requests: number): { bursting: number; steady: number } {
  const windowSeconds = REAL_LIMIT.windowMs / 1000;
  return {
    bursting: (Math.ceil(requests / REAL_LIMIT.requests) - 1) * windowSeconds,
    steady: (requests / REAL_LIMIT.requests) * windowSeconds,
  };
}
