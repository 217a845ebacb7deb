import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/app-options.ts';
import { silentLogger } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import type { EmbeddedSlack } from '../../src/playground/embedded-slack/index.ts';
import type { FileService, ProfileName } from '../../src/playground/file-service/index.ts';
import { appSettings } from './app-settings.ts';
import { type EmbeddedOptions, startEmbedded } from './embedded.ts';
import { putEmptyLedger } from './open-empty-ledger.ts';
import { withLines } from './with-lines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serviceProfile?: ProfileName;
  }
}

/** The embedded file service's profile in this run; `test/vitest.config.ts` provides it. */
export const serviceProfile: ProfileName = inject('serviceProfile') ?? 'specified';

/** Returns the expectation for this run's profile, where people can see the difference. */
export function byProfile<T>(expected: Record<ProfileName, T>): T {
  return expected[serviceProfile];
}

/**
 * Returns a refusal with its `cause`, which follows from the status; no numeric code of a real
 * account is known.
 */
export function refusedFor(cause: string): string {
  return byProfile({ specified: cause, real: 'the file service refused it' });
}

interface StackOptions extends Pick<EmbeddedOptions, 'slack' | 'service'> {
  env?: Record<string, string>;
  /** The name of the member who operates Pigeonhole; absent: not set. */
  operator?: string;
  appOptions?: Partial<AppOptions>;
  socketMode?: boolean;
  /** Whether new links want no lines, as when nobody chooses. Default: false. */
  quiet?: boolean;
}

/**
 * A complete Pigeonhole on this machine: an embedded Slack, an embedded file service, and the app
 * between them.
 */
export interface Stack {
  slack: EmbeddedSlack;
  service: FileService;
  port: number;
  /** Where the app keeps its ledger. */
  appDir: string;
  /** Stops only the app and starts it again on the same data. */
  restart(appOptions?: Partial<AppOptions>): Promise<void>;
  stopApp(): Promise<void>;
  startApp(appOptions?: Partial<AppOptions>): Promise<void>;
  stop(): Promise<void>;
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const embedded = await startEmbedded({
    service: { profile: serviceProfile, ...options.service },
    slack: { retryDelaysMs: [0, 20, 20], ...options.slack },
  });
  const { slack, service } = embedded;
  const appDir = join(embedded.dataDir, 'app');
  await putEmptyLedger(appDir);
  const config = loadConfig({
    ...appSettings(embedded),
    ...(options.socketMode ? { SLACK_APP_TOKEN: slack.appToken } : {}),
    DATA_DIR: appDir,
    LOG_LEVEL: 'silent',
    ...(options.operator ? { OPERATOR: slack.ids.users[options.operator] } : {}),
    ...options.env,
  });
  let app: ReturnType<typeof createApp> | null = null;
  let port = 0;
  const startApp = async (appOptions: Partial<AppOptions> = {}) => {
    const given = { ...options.appOptions, ...appOptions };
    app = createApp(config, {
      logger: silentLogger,
      settleMs: 50,
      // A changed role or profile takes effect at once.
      keepPersonMs: 0,
      graceMs: 2_000,
      ...given,
      aroundLedger: (ledger) => {
        const seen = given.aroundLedger?.(ledger) ?? ledger;
        return options.quiet ? seen : withLines(seen);
      },
    });
    port = (await app.start()).port;
    if (!options.socketMode) slack.connectApp(`http://127.0.0.1:${port}`);
  };
  const stopApp = async () => {
    await app?.stop();
    app = null;
  };
  await startApp();
  return {
    slack,
    service,
    appDir,
    get port() {
      return port;
    },
    startApp,
    stopApp,
    restart: async (appOptions) => {
      await stopApp();
      await startApp(appOptions);
    },
    stop: async () => {
      await stopApp();
      await embedded.stop();
    },
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
