import { type Clock, type Random, systemClock, systemRandom } from '../../base/index.ts';
import { type Changes, createChanges } from './changes.ts';
import { createDirectory, type Directory } from './directory.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { createEphemerals, type Ephemerals } from './ephemerals.ts';
import { createFileStore, type FileStore } from './files/file-store.ts';
import { type FrontServer, openFrontServer } from './front-server.ts';
import { createTriggers, type Triggers } from './interactions/triggers.ts';
import { createKeys, type Keys } from './keys.ts';
import { createMessages, type Messages } from './messages.ts';
import type { EmbeddedSlackOptions } from './options.ts';
import { createScreens, type Screens } from './screens.ts';
import { createTimeline, type Timeline } from './timeline.ts';

/** The base of this Slack, independent of the app: its servers, people and stored state. */
export interface Ground {
  clock: Clock;
  random: Random;
  keys: Keys;
  /** Aborted when the Slack stops. */
  stopped: AbortSignal;
  front: FrontServer;
  origin: string;
  emulator: Emulator;
  directory: Directory;
  files: FileStore;
  timeline: Timeline;
  messages: Messages;
  ephemerals: Ephemerals;
  screens: Screens;
  triggers: Triggers;
  changes: Changes;
}

export async function layGround(
  options: EmbeddedSlackOptions,
  stopped: AbortSignal,
): Promise<Ground> {
  const { clock = systemClock, random = systemRandom } = options;
  const keys = createKeys(options.keys ?? {}, random);
  const front = await openFrontServer(options.port ?? 0);
  const { origin } = front;
  const emulator = await startEmulator();
  const directory = await createDirectory(emulator, keys.botToken);
  const files = createFileStore(options.dataDir);
  const timeline = createTimeline();
  const changes = createChanges(stopped);
  return {
    clock,
    random,
    keys,
    stopped,
    front,
    origin,
    emulator,
    directory,
    files,
    timeline,
    messages: createMessages({ emulator, directory, timeline, files, origin }),
    ephemerals: createEphemerals(),
    screens: createScreens(changes),
    triggers: createTriggers({ clock, random }),
    changes,
  };
}
