import { createApp } from '../app.ts';
import type { Logger } from '../base/index.ts';
import type { Config } from '../config.ts';
import type { Ledger } from '../ledger/index.ts';
import type { EmbeddedSlack } from './embedded-slack/index.ts';

/** Where an app is between one start and the next. */
export type AppState = 'running' | 'stopping' | 'stopped' | 'starting';

/** The folder that a channel is linked to. */
export interface ShownLink {
  projectId: number;
  folderId: number;
}

/** The real app, with the product's timings, to be stopped and started again while its surroundings go on. */
export interface AppSwitch {
  state(): AppState;
  /** Rejects with what keeps it from starting; does nothing when it runs already. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it where it runs, changes something around it, and starts it again where it ran. */
  whileStopped(change: () => void): Promise<void>;
  /** A channel's link as the app's ledger has it; while the app is stopped, as it was last. */
  link(channel: string): Promise<ShownLink | null>;
  /** Called at every change of `state`. Returns what ends it. */
  onChange(listener: () => void): () => void;
}

export interface AppSwitchOptions {
  config: Config;
  slack: EmbeddedSlack;
  logger: Logger;
}

export function createAppSwitch({ config, slack, logger }: AppSwitchOptions): AppSwitch {
  const listeners = new Set<() => void>();
  const links = new Map<string, ShownLink | null>();
  let ledger: Ledger | null = null;
  const onLoopback = { ...config, host: '127.0.0.1' };
  const app = () =>
    createApp(onLoopback, {
      logger,
      aroundLedger: (opened) => {
        ledger = opened;
        return opened;
      },
    });
  let running = app();
  let state: AppState = 'stopped';
  // One after another, so that an impatient finger cannot start an app twice.
  let line: Promise<void> = Promise.resolve();

  const become = (next: AppState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const inLine = (step: () => Promise<void>): Promise<void> => {
    const done = line.then(step);
    line = done.catch(() => undefined);
    return done;
  };

  const start = async () => {
    if (state === 'running') return;
    become('starting');
    running = app();
    try {
      const { port } = await running.start();
      slack.connectApp(`http://127.0.0.1:${port}`);
      become('running');
    } catch (error) {
      become('stopped');
      throw error;
    }
  };
  const stop = async () => {
    if (state !== 'running') return;
    become('stopping');
    ledger = null;
    await running.stop();
    become('stopped');
  };

  return {
    state: () => state,
    start: () => inLine(start),
    stop: () => inLine(stop),
    whileStopped: (change) =>
      inLine(async () => {
        const ran = state === 'running';
        await stop();
        change();
        if (ran) await start();
      }),
    link: async (channel) => {
      const found = await ledger
        ?.findLink({ team: slack.ids.team, channel })
        .catch(() => undefined);
      if (found !== undefined) links.set(channel, shown(found));
      return links.get(channel) ?? null;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function shown(link: ShownLink | null): ShownLink | null {
  return link && { projectId: link.projectId, folderId: link.folderId };
}
