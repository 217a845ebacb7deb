import type { Chance } from '../kernel/random.ts';
import { FOLDERS } from '../service/account.ts';
import { linkText } from '../world/users.ts';
import type { FaultRates } from './faults.ts';

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

/** What people search for: in the middle of names, in several names, in none. */
const SEARCHES = ['', 'report', 'pdf 1', 'photo', 'a&b', 'nothing of that'];

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
      return { kind, channel, user, words: chance.pick(SEARCHES) };
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

/** Returns a deed as a sentence of the trace, with all that was drawn for it. */
export function deedInWords(deed: Deed): string {
  return (DESCRIPTIONS[deed.kind] as (deed: Deed) => string)(deed);
}

type Descriptions = { [Kind in Deed['kind']]: (deed: Extract<Deed, { kind: Kind }>) => string };

const DESCRIPTIONS: Descriptions = {
  share: ({ channel, user, files, inThread }) =>
    `${who(user)} shares ${named(files)} in ${inThread ? 'a thread of ' : ''}${place(channel)}`,
  're-share': ({ channel, user }) => `${who(user)} shares an earlier file in ${place(channel)}`,
  edit: ({ files, last }) =>
    `${last ? 'the last' : 'a'} shared message is edited${files.length > 0 ? ` and gets ${named(files)}` : ''}`,
  list: (at) => types('/files', at),
  folders: (at) => types('/folders', at),
  status: (at) => types('/files status', at),
  find: ({ words, ...at }) => types(`/files find ${words}`, at),
  form: (at) => types('/files link', at),
  link: ({ folder, ...at }) => types(`/files ${linkText(folder)}`, at),
  unlink: (at) => types('/files unlink', at),
  announce: ({ on, ...at }) => types(`/files announce ${on ? 'on' : 'off'}`, at),
  home: ({ user }) => `${who(user)} opens the App Home`,
  where: ({ user }) => `${who(user)} asks where a message is filed`,
  save: ({ user, of }) => `${who(user)} saves ${SAVED[of]}`,
  press: ({ action, times, newest }) =>
    `somebody presses ${newest ? 'the newest' : 'a'} button "${action}"${times > 1 ? ` ${times} times` : ''}`,
  'stranger-calls': ({ calls }) => `a stranger makes ${count(calls, 'request')} to the service`,
  'stranger-files': () => 'a stranger files a twin of one of our files',
  'stranger-deletes': () => 'a stranger deletes a file in the service',
  'attachments-forgotten': () => 'the service forgets its unused attachments',
  outage: ({ ms }) => `the service is down for ${span(ms)}`,
  'slow-service': ({ ms }) => `the service is slow for ${span(ms)}`,
  'slow-way': ({ ms }) => `requests reach the service late for ${span(ms)}`,
  'lost-creates': ({ ms }) => `creates and their answers are lost for ${span(ms)}`,
  'wrong-refusals': ({ ms }) => `the service refuses creates that it did, for ${span(ms)}`,
  storm: ({ ms }) => `the service answers 429 for ${span(ms)}`,
  'key-revoked': ({ ms }) => `the service refuses the key for ${span(ms)}`,
  'folder-deleted': ({ folder }) =>
    `a stranger deletes ${folder === undefined ? 'a folder' : `the folder ${FOLDERS[folder]}`}`,
  'slack-silent': ({ ms }) => `Slack delivers no event for ${span(ms)}`,
  'slack-file-deleted': () => 'a file is deleted in Slack',
  'message-deleted': ({ withFiles, last }) =>
    `${last ? 'the last' : 'a'} shared message is deleted${withFiles ? ' with its files' : ''}`,
  'bot-removed': ({ channel, ms, inviter }) =>
    `the bot is removed from ${place(channel)} and ${invited(inviter)} ${span(ms)} later`,
  'bot-brought-in': ({ channel, inviter }) =>
    `the bot is removed from ${place(channel)} and ${invited(inviter)} at once`,
  archived: ({ channel }) => `${place(channel)} is archived`,
  'history-fails': ({ ms }) => `Slack’s history fails for ${span(ms)}`,
  kill: ({ seat, edges, downMs }) =>
    `${app(seat)} is to be killed ${count(edges, 'edge')} from now and started ${span(downMs)} later`,
  'killed-answering': ({ seat, downMs }) =>
    `${app(seat)} is to be killed as it answers an event and started ${span(downMs)} later`,
  restart: ({ seat, downMs }) => `${app(seat)} is stopped and started ${span(downMs)} later`,
  'started-twice': ({ seat }) => `${app(seat)} is started a second time`,
  pause: ({ seat, ms }) => `${app(seat)} is paused for ${span(ms)}`,
  clock: ({ seat, ms }) => `the clock of ${app(seat)} jumps by ${span(ms)}`,
  'disk-full': ({ seat, ms }) => `the disk of ${app(seat)} is full for ${span(ms)}`,
};

const SAVED: Record<Extract<Deed, { kind: 'save' }>['of'], string> = {
  shared: 'the files of a shared message',
  'to-app': 'a file just sent to the bot',
  'to-somebody': 'a file just sent to Cleo',
  last: 'what was last saved, again',
};

/** In the order of `peopleOf`. */
const PEOPLE = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'];

const who = (user: number) => PEOPLE[user] ?? `person ${user}`;
const place = (channel: number) => `#channel-${channel + 1}`;
const app = (seat: number) => `app ${seat + 1}`;
const span = (ms: number) => `${ms / 1000} s`;
const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const invited = (by: number | null) => `invited again${by === null ? '' : ` by ${who(by)}`}`;

function types(command: string, { channel, user }: { channel: number; user: number }): string {
  return `${who(user)} types ${command} in ${place(channel)}`;
}

function named(files: readonly PlannedFile[]): string {
  return files
    .map(({ name, size, hiddenMs }) => {
      const hidden = hiddenMs > 0 ? `, hidden for ${span(hiddenMs)}` : '';
      return `${name} (${size} B${hidden})`;
    })
    .join(', ');
}
