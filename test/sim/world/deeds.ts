import type { Chance } from '../kernel/chance.ts';
import { FOLDERS } from '../service/account-seed.ts';
import type { FaultRates } from './fault-rates.ts';

/** A file that somebody shares. Its content is unique, whatever its name and size. */
export interface PlannedFile {
  name: string;
  size: number;
  /** Slack shows it only this many milliseconds after the share; 0: at once. */
  hiddenMs: number;
}

/** One action or fault in a world. The step's `pick` chooses among what exists by then. */
export type Deed =
  | { kind: 'share'; channel: number; user: number; files: PlannedFile[]; inThread: boolean }
  | { kind: 're-share'; channel: number; user: number }
  /** An edit of a message, of the last or of any, which may add files to it. */
  | { kind: 'edit'; files: PlannedFile[]; last: boolean }
  | { kind: 'list'; channel: number; user: number }
  | { kind: 'folders'; channel: number; user: number }
  | { kind: 'status'; channel: number; user: number }
  | { kind: 'find'; channel: number; user: number; words: string }
  | { kind: 'form'; channel: number; user: number }
  | { kind: 'home'; user: number }
  | { kind: 'where'; user: number }
  /**
   * Saving a message's files by hand: any shared message, one just sent directly, or the last
   * choice again.
   */
  | { kind: 'save'; user: number; of: 'shared' | 'to-app' | 'to-somebody' | 'last' }
  | { kind: 'link'; channel: number; user: number; folder: number }
  | { kind: 'unlink'; channel: number; user: number }
  | { kind: 'announce'; channel: number; user: number; on: boolean }
  | { kind: 'press'; action: string; times: number; newest: boolean }
  | { kind: 'stranger-calls'; calls: number }
  | { kind: 'stranger-files' }
  | { kind: 'stranger-deletes' }
  | { kind: 'attachments-forgotten' }
  | { kind: 'started-twice'; seat: number }
  | { kind: 'outage'; ms: number }
  | { kind: 'slow-service'; ms: number }
  | { kind: 'slow-way'; ms: number }
  | { kind: 'lost-creates'; ms: number }
  | { kind: 'wrong-refusals'; ms: number }
  | { kind: 'storm'; ms: number }
  | { kind: 'key-revoked'; ms: number }
  /** The number of the folder; absent: any. */
  | { kind: 'folder-deleted'; folder?: number }
  | { kind: 'slack-silent'; ms: number }
  | { kind: 'slack-file-deleted' }
  | { kind: 'message-deleted'; withFiles: boolean; last: boolean }
  | { kind: 'bot-removed'; channel: number; ms: number; inviter: number | null }
  /** Removed and brought back at once, before anything is shared. */
  | { kind: 'bot-brought-in'; channel: number; inviter: number }
  | { kind: 'archived'; channel: number }
  | { kind: 'history-fails'; ms: number }
  | { kind: 'kill'; seat: number; edges: number; downMs: number }
  | { kind: 'killed-answering'; seat: number; downMs: number }
  | { kind: 'restart'; seat: number; downMs: number }
  | { kind: 'pause'; seat: number; ms: number }
  | { kind: 'clock'; seat: number; ms: number }
  | { kind: 'disk-full'; seat: number; ms: number };

/** What deeds need to know of a world. */
export interface Stage {
  seats: number;
  channels: number;
  rates: FaultRates;
}

export const USERS = 4;
/** A guest, who is in none of the channels at first. */
export const GUEST = USERS;

const NAMES = ['report.pdf', 'photo 1.jpg', 'notes.txt', 'Entwurf Ä.docx', 'a&b <c>.png', 'v2.zip'];
const SIZES = [1, 300, 300, 2_000, 2_000, 9_000];

/** Draws a share of `count` files; null: usually a few, and sometimes more. */
export function drawShare(
  chance: Chance,
  { channels }: Pick<Stage, 'channels'>,
  files: number | null = null,
): Extract<Deed, { kind: 'share' }> {
  const some = () => (chance.happens(0.8) ? chance.whole(1, 3) : chance.whole(1, 14));
  const count = files ?? some();
  const twins = chance.happens(0.3);
  const name = chance.pick(NAMES);
  const size = chance.pick(SIZES);
  const shared = Array.from({ length: count }, (_, index) => ({
    name: twins ? name : `${index + 1} ${chance.pick(NAMES)}`,
    size: twins ? size : chance.pick(SIZES),
    hiddenMs: chance.happens(0.05) ? chance.whole(500, 60_000) : 0,
  }));
  return {
    kind: 'share',
    channel: chance.whole(0, channels - 1),
    user: chance.whole(0, USERS - 1),
    files: shared,
    inThread: chance.happens(0.2),
  };
}

const ACTIONS = [
  'delete_file',
  'delete_file',
  'delete_copies',
  'retry_share',
  'retry_share',
  'files_page',
  'attention',
  'found',
  'home',
  'link_channel',
  'any',
];

/** Search words: in the middle of names, in several names, in none. */
const WORDS = ['', 'report', 'pdf 1', 'photo', 'a&b', 'nothing of that'];

/** Draws an action of a person other than a share. */
export function drawDoing(chance: Chance, { channels }: Pick<Stage, 'channels'>): Deed {
  const channel = chance.whole(0, channels - 1);
  const user = chance.whole(0, USERS - 1);
  const kind = chance.pick([
    'list',
    'list',
    'press',
    'press',
    'press',
    're-share',
    'edit',
    'folders',
    'status',
    'link',
    'unlink',
    'message-deleted',
    'find',
    'form',
    'home',
    'where',
    'bot-removed',
  ] as const);
  switch (kind) {
    case 'link':
      return { kind, channel, user, folder: chance.whole(0, FOLDERS.length - 1) };
    case 'press': {
      const action = chance.pick(ACTIONS);
      return { kind, action, times: chance.pick([1, 1, 2, 3]), newest: chance.happens(0.7) };
    }
    case 'edit':
      return { kind, files: [], last: false };
    case 'message-deleted':
      return { kind, withFiles: chance.happens(0.7), last: false };
    case 'find':
      return { kind, channel, user, words: chance.pick(WORDS) };
    case 'home':
    case 'where':
      return { kind, user };
    case 'bot-removed':
      // Nothing is expected of the app for what it misses, so this is drawn less often.
      if (chance.happens(0.6)) return { kind: 'home', user };
      return { kind, channel, ms: chance.pick([100, 5_000, 40_000]), inviter: user };
    default:
      return { kind, channel, user };
  }
}

/**
 * How long Slack delivers no event, in milliseconds: longer than it redelivers one, which is 360 s.
 */
export const LONG_SILENCES = [420_000, 420_000, 3_600_000] as const;

/** Draws a fault that lasts for a while. */
export function drawIncident(chance: Chance, { rates, seats, channels }: Stage): Deed {
  const kind = chance.pick(rates.incidents);
  const ms = chance.pick([2_000, 15_000, 45_000, 70_000, 200_000]);
  const seat = chance.whole(0, seats - 1);
  const channel = chance.whole(0, channels - 1);
  switch (kind) {
    case 'stranger-calls':
      return { kind, calls: chance.whole(5, 40) };
    case 'outage':
      return { kind, ms: chance.happens(0.1) ? 3 * 3_600_000 : ms };
    case 'slow-service':
    case 'wrong-refusals':
    case 'storm':
    case 'key-revoked':
      return { kind, ms };
    case 'slack-silent':
      return { kind, ms: chance.fork('silence').pick([ms, ms, ms, ...LONG_SILENCES]) };
    case 'pause':
    case 'disk-full':
      return { kind, seat, ms };
    case 'history-fails':
      return { kind, ms: chance.pick([200_000, 1_500_000]) };
    case 'clock':
      return drawWrongClock(chance, { seats });
    case 'started-twice':
      return { kind, seat };
    case 'bot-removed':
      return { kind, channel, ms, inviter: null };
    case 'archived':
      return { kind, channel };
    default:
      return { kind };
  }
}

/** Sets a machine's clock wrong. */
export function drawWrongClock(chance: Chance, { seats }: Pick<Stage, 'seats'>): Deed {
  const ms = chance.pick([-3_600_000, -20_000, -2_000, 2_000, 20_000, 240_000]);
  return { kind: 'clock', seat: chance.whole(0, seats - 1), ms };
}

/** Kills a process and starts it again. */
export function drawKill(chance: Chance, { seats }: Pick<Stage, 'seats'>): Deed {
  const seat = chance.whole(0, seats - 1);
  const downMs = chance.pick([100, 2_000, 2_000, 15_000, 90_000]);
  if (chance.happens(0.25)) return { kind: 'restart', seat, downMs };
  if (chance.happens(0.2)) return { kind: 'killed-answering', seat, downMs };
  return { kind: 'kill', seat, edges: chance.whole(1, 60), downMs };
}
