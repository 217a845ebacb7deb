import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MeasuredApp } from './apps.ts';
import type { ServiceCalls } from './file-service-process.ts';
import type { AppCalls, MeasuredAppOptions } from './measured-app.ts';
import { type BenchProcess, startProcess } from './rpc.ts';
import type { SlackCalls } from './slack-process.ts';

interface EnvironmentOptions {
  /** The parent of the environment's own folder, which is removed at the end. */
  directory: string;
  /** Default: the real limit, 25 requests in 10 s (service interface, section 8). */
  rateLimit?: MeasuredAppOptions['rateLimit'];
  /** Whether the service counts and hashes files without keeping them. Default: false. */
  discardBytes?: boolean;
}

/** An embedded Slack and an embedded file service, each a process, with any apps between them. */
export interface Environment extends AsyncDisposable {
  slack: BenchProcess<SlackCalls>;
  service: BenchProcess<ServiceCalls>;
  /** What an app between them is started with. */
  appOptions: Omit<MeasuredAppOptions, 'dataDir'>;
  /** Starts an app; Slack does not know of it until `connectApp`. */
  startApp(app: MeasuredApp): Promise<RunningApp>;
  /** Ends all of them; the same when it is disposed of. */
  stop(): Promise<void>;
}

export interface RunningApp {
  process: BenchProcess<AppCalls>;
  url: string;
}

export const REAL_LIMIT = { requests: 25, windowMs: 10_000 };
/** So high that nothing ever waits. */
export const NO_LIMIT = { requests: 9_999, windowMs: 1_000 };

export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { rateLimit = REAL_LIMIT, discardBytes = false } = options;
  const directory = await mkdtemp(join(options.directory, 'environment-'));
  const slack = await startProcess<SlackCalls>('slack-process.ts');
  const service = await startProcess<ServiceCalls>('file-service-process.ts');
  const processes: Pick<BenchProcess<AppCalls>, 'stop'>[] = [slack, service];
  const slackAddress = await slack.call('start', join(directory, 'slack'));
  const dataDir = join(directory, 'service');
  const accountUrl = await service.call('start', { dataDir, rateLimit, discardBytes });
  const appOptions = { slack: slackAddress, service: { accountUrl }, rateLimit };
  const stop = async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await rm(directory, { recursive: true, force: true });
  };
  return {
    slack,
    service,
    appOptions,
    startApp: async (app) => {
      const process = await app.start();
      processes.push(process);
      const appDir = await mkdtemp(join(directory, 'app-'));
      const port = await process.call('start', { ...appOptions, dataDir: appDir });
      return { process, url: `http://127.0.0.1:${port}` };
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
