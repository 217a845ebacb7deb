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

export type AppRunner = ReturnType<typeof createAppRunner>;

interface AppRunnerOptions {
  config: Config;
  slack: EmbeddedSlack;
  logger: Logger;
}

/** Starts and stops the real app (with the product's timings) while Slack and the service run. */
export function createAppRunner({ config, slack, logger }: AppRunnerOptions) {
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
    /** Starts the app, or does nothing if it is running. Rejects with the error that prevented it. */
    start: () => enqueue(start),
    stop: () => enqueue(stop),
    /** Stops the app if it is running, calls `change`, then restarts the app if it was running. */
    whileStopped: (change: () => void) =>
      enqueue(async () => {
        const wasRunning = state === 'running';
        await stop();
        change();
        if (wasRunning) await start();
      }),
    /** Returns a channel's link from the ledger; while the app is stopped, the last one read. */
    link: async (channel: string): Promise<LinkTarget | null> => {
      const found = await ledger
        ?.findLink({ team: slack.ids.team, channel })
        .catch(() => undefined);
      if (found !== undefined)
        links.set(channel, found && { projectId: found.projectId, folderId: found.folderId });
      return links.get(channel) ?? null;
    },
    /** Calls the listener at every change of `state`. Returns a function that removes it. */
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
