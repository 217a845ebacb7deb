import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppCalls, AppStart } from './app-start.ts';
import type { Contestant } from './contestants.ts';
import type { ServiceCalls, ServiceStart } from './file-service-process.ts';
import type { SlackCalls } from './slack-process.ts';
import { type BenchProcess, startProcess } from './start-process.ts';

export interface WorldOptions {
  /** The parent of the world's own folder, which is removed at the end. */
  directory: string;
  /** Default: the real limit, 25 requests in 10 s (service interface, section 8). */
  rateLimit?: ServiceStart['rateLimit'];
  /** Default: false. */
  discardBytes?: boolean;
}

/** An embedded Slack and an embedded file service, each a process, with any apps between them. */
export interface World {
  slack: BenchProcess<SlackCalls>;
  service: BenchProcess<ServiceCalls>;
  surroundings: AppStart;
  /** Starts an app; Slack does not know of it until `connectApp`. */
  startApp(contestant: Contestant): Promise<RunningApp>;
  stop(): Promise<void>;
}

export interface RunningApp {
  process: BenchProcess<AppCalls>;
  url: string;
}

export const REAL_LIMIT = { requests: 25, windowMs: 10_000 };
/** So high that nothing ever waits. */
export const NO_LIMIT = { requests: 9_999, windowMs: 1_000 };

export async function startWorld(options: WorldOptions): Promise<World> {
  const { rateLimit = REAL_LIMIT, discardBytes = false } = options;
  const directory = await mkdtemp(join(options.directory, 'world-'));
  const slack = await startProcess<SlackCalls>('slack-process.ts');
  const service = await startProcess<ServiceCalls>('file-service-process.ts');
  const running: BenchProcess<AppCalls>[] = [];
  const { apiUrl: slackApiUrl, ...keys } = await slack.call('start', join(directory, 'slack'));
  const dataDir = join(directory, 'service');
  const accountUrl = await service.call('start', { dataDir, rateLimit, discardBytes });
  const surroundings = { slackApiUrl, ...keys, accountUrl, rateLimit, dataDir: directory };
  return {
    slack,
    service,
    surroundings,
    startApp: async (contestant) => {
      const process = await contestant.start();
      running.push(process);
      const appDir = await mkdtemp(join(directory, 'app-'));
      const port = await process.call('start', { ...surroundings, dataDir: appDir });
      return { process, url: `http://127.0.0.1:${port}` };
    },
    stop: async () => {
      await Promise.all([...running, slack, service].map((process) => process.stop()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
