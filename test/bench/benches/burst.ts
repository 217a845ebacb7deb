import type { MeasuredApp } from '../processes/apps.ts';
import {
  type Environment,
  REAL_LIMIT,
  type RunningApp,
  startEnvironment,
} from '../processes/environment.ts';

export interface BurstPlan {
  shares: number;
  filesEach: number;
  /** How often a person types `/files` meanwhile, in milliseconds; absent: never. */
  askEveryMs?: number;
}

/** How an app fared with many files shared at the same moment. */
export interface Burst {
  name: string;
  plan: BurstPlan;
  /** How many of the files were filed. */
  filed: number;
  /**
   * From the first event until the last file was in its folder; infinite if a file never was, or
   * was twice.
   */
  seconds: number;
  requests: number;
  refused: number;
  /** The most requests that arrived in any window, refused ones included. */
  mostInWindow: number;
  /** Milliseconds from each `/files` to its response. */
  answers: number[];
}

const BYTES = 4 * 1024;
const MAX_MS = 10 * 60_000;
const ANSWER_WITHIN_MS = 60_000;

/**
 * Runs the same burst for several apps at the same time, each with its own Slack and service: they
 * wait for the rate limit, not for the processor. Results are in the order of the apps.
 */
export async function compareBursts(
  apps: MeasuredApp[],
  plan: BurstPlan,
  directory: string,
): Promise<Burst[]> {
  const prepared = await Promise.allSettled(apps.map((app) => prepareBurst(app, plan, directory)));
  const bursts = prepared.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    const failed = prepared.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return await Promise.all(bursts.map((burst) => burst.run()));
  } finally {
    await Promise.all(bursts.map((burst) => burst.stop()));
  }
}

/** Shares the files beforehand, so that only the app's and the service's time is measured. */
async function prepareBurst(app: MeasuredApp, plan: BurstPlan, directory: string) {
  const environment = await startEnvironment({ directory });
  try {
    const { shares, filesEach } = plan;
    const wanted = { shares, filesEach, bytes: BYTES };
    const events = await environment.slack.call('prepareShares', wanted);
    const running = await environment.startApp(app);
    return {
      run: async () => ({
        name: app.name,
        plan,
        ...(await run(environment, running, { plan, events })),
      }),
      stop: environment.stop,
    };
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

async function run(
  { slack, service }: Environment,
  app: RunningApp,
  { plan, events }: { plan: BurstPlan; events: string[] },
): Promise<Omit<Burst, 'name' | 'plan'>> {
  const { shares, filesEach, askEveryMs } = plan;
  const before = await service.call('statistics');
  await slack.call('connectApp', app.url);
  if (askEveryMs) await slack.call('startAsking', { everyMs: askEveryMs });
  const goal = { files: shares * filesEach, withinMs: MAX_MS };
  const [begunAt, filed] = await Promise.all([
    slack.call('deliver', events),
    service.call('untilFiled', goal),
  ]);
  const answers = await slack.call('stopAsking', { withinMs: ANSWER_WITHIN_MS });
  const after = await service.call('statistics');
  return {
    filed: filed.files,
    seconds: filed.files === goal.files ? (filed.at - begunAt) / 1000 : Number.POSITIVE_INFINITY,
    requests: after.total - before.total,
    refused: after.refused - before.refused,
    mostInWindow: after.mostArrived,
    answers,
  };
}

/** Returns the fewest requests that file this many: an upload each, and a create for every 24. */
export function fewestRequests(files: number): number {
  return files + Math.ceil(files / 24);
}

/**
 * Returns the least time for this many requests under the real limit, in seconds. `bursting`: 25 at
 * once, and again whenever the window allows; `steady`: at the limit's average rate.
 */
export function leastSeconds(requests: number): { bursting: number; steady: number } {
  const windowSeconds = REAL_LIMIT.windowMs / 1000;
  return {
    bursting: (Math.ceil(requests / REAL_LIMIT.requests) - 1) * windowSeconds,
    steady: (requests / REAL_LIMIT.requests) * windowSeconds,
  };
}
