import { createApp } from '../app.ts';
import type { Logger } from '../base/index.ts';
import type { Config } from '../config.ts';
import type { Ledger } from '../ledger/index.ts';
import type { EmbeddedSlack } from './embedded-slack/index.ts';

/** The lifecycle state of the app process. */
type AppState = 'running' | 'stopping' | 'stopped' | 'starting';

/** The folder that a channel is linked to. */
interface LinkTarget {
  projectId: number;
  folderId: number;
}

/** Starts and stops the real app (with the product's timings) while Slack and the service run. */
export interface AppRunner {
  state(): AppState;
  /** Starts the app, or does nothing if it is running. Rejects with the error that prevented it. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops the app if it is running, calls `change`, then restarts the app if it was running. */
  whileStopped(change: () => void): Promise<void>;
  /** Returns a channel's link from the ledger; while the app is stopped, the last one read. */
  link(channel: string): Promise<LinkTarget | null>;
  /** Calls the listener at every change of `state`. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

interface AppRunnerOptions {
  config: Config;
  slack: EmbeddedSlack;
  logger: Logger;
}

export function createAppRunner({ config, slack, logger }: AppRunnerOptions): AppRunner {
  const listeners = new Set<() => void>();
  const links = new Map<string, LinkTarget | null>();
  let ledger: Ledger | null = null;
  const onLoopback = { ...config, host: '127.0.0.1' };
  const createOwnApp = () =>
    createApp(onLoopback, {
      logger,
      aroundLedger: (opened) => {
        ledger = opened;
        return opened;
      },
    });
  let app: ReturnType<typeof createOwnApp> | null = null;
  let state: AppState = 'stopped';
  // Starts and stops run one after another, so that a double click cannot start two apps.
  let queue: Promise<void> = Promise.resolve();

  const setState = (next: AppState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const enqueue = (step: () => Promise<void>): Promise<void> => {
    const done = queue.then(step);
    queue = done.catch(() => undefined);
    return done;
  };

  const start = async () => {
    if (state === 'running') return;
    setState('starting');
    try {
      app = createOwnApp();
      const { port } = await app.start();
      slack.connectApp(`http://127.0.0.1:${port}`);
      setState('running');
    } catch (error) {
      setState('stopped');
      throw error;
    }
  };
  const stop = async () => {
    if (state !== 'running') return;
    setState('stopping');
    ledger = null;
    await app?.stop();
    setState('stopped');
  };

  return {
    state: () => state,
    start: () => enqueue(start),
    stop: () => enqueue(stop),
    whileStopped: (change) =>
      enqueue(async () => {
        const wasRunning = state === 'running';
        await stop();
        change();
        if (wasRunning) await start();
      }),
    link: async (channel) => {
      const found = await ledger
        ?.findLink({ team: slack.ids.team, channel })
        .catch(() => undefined);
      if (found !== undefined)
        links.set(channel, found && { projectId: found.projectId, folderId: found.folderId });
      return links.get(channel) ?? null;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
