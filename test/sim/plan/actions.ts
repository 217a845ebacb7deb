import type { Rng } from '../kernel/random.ts';
import { FOLDERS, PROJECT } from '../service/service-model.ts';
import type { FaultRates } from './faults.ts';

/** A file that somebody shares. Its content is unique, whatever its name and size. */
export interface PlannedFile {
  name: string;
  size: number;
  /** Slack shows it only this many milliseconds after the share; 0: at once. */
  hiddenMs: number;
}

/** Where and by whom an action is, as numbers. */
export interface ByUser {
  channel: number;
  user: number;
}

/** What a user types, which opens the form, or asks or changes something. */
export type CommandAction =
  | ({ kind: 'list' | 'folders' | 'status' | 'form' | 'settings' | 'unlink' } & ByUser)
  | ({ kind: 'find'; words: string } & ByUser)
  | ({ kind: 'link'; folder: number } & ByUser)
  | ({ kind: 'announce'; on: boolean } & ByUser);

/** A fault that starts and lasts this long. */
export interface FaultAction {
  kind:
    | ('outage' | 'slow-service' | 'slow-network' | 'rate-limiting' | 'lost-creates')
    | ('wrong-refusals' | 'key-revoked' | 'slack-silent' | 'history-fails')
    | ('creates-unsent' | 'creates-unanswered');
  ms: number;
}

/** What the menu of a file in a list sends to share it, and to delete it. */
export const SHARE_CHOICE = '{"do":"share"}';
export const DELETE_CHOICE = '{"do":"delete"}';

interface PressDetails {
  /** The value of what is chosen of a menu. Default: any. */
  choice?: string;
  /** Who presses it. Default: anybody who sees it. */
  user?: number;
}

/**
 * One action of a user or an outside event in a world, or the start of a fault. People, channels
 * and machines are numbers; the step's `pick` chooses among whatever else exists by then.
 */
export type Action =
  | CommandAction
  | ({ kind: 'share'; files: PlannedFile[]; inThread: boolean } & ByUser)
  | ({ kind: 're-share' } & ByUser)
  /** An edit of a message, of the last or of any, which may add files to it. */
  | { kind: 'edit'; files: PlannedFile[]; last: boolean }
  /** Opening the App Home, asking where a message is filed, or the shortcut that searches. */
  | { kind: 'home' | 'where' | 'find-files'; user: number }
  /** Posting the address of a file in the service. */
  | ({ kind: 'paste' } & ByUser)
  /** Saving a message's files by hand: shared or just sent directly, or the last choice again. */
  | { kind: 'save'; user: number; of: 'shared' | 'deleted' | 'to-app' | 'to-somebody' | 'last' }
  | ({ kind: 'press'; actionId: string; times: number; newest: boolean } & PressDetails)
  | { kind: 'message-deleted'; withFiles: boolean; last: boolean }
  | { kind: 'attachments-forgotten' }
  /** `ofLast`: the number of a file of the last shared message; absent: any file. */
  | { kind: 'slack-file-deleted'; ofLast?: number }
  /** What other users of the account do in it. */
  | { kind: 'other-requests'; calls: number }
  | { kind: 'other-creates' | 'other-deletes' }
  /** The number of the folder; absent: any. */
  | { kind: 'folder-deleted'; folder?: number }
  | { kind: 'bot-removed'; channel: number; ms: number; inviter: number | null }
  /** Removed and brought back at once, before anything is shared. */
  | { kind: 'bot-re-added'; channel: number; inviter: number }
  | { kind: 'archived'; channel: number }
  | FaultAction
  | { kind: 'kill'; machine: number; crashPoints: number; downMs: number }
  | { kind: 'kill-on-ack' | 'restart'; machine: number; downMs: number }
  | { kind: 'second-process'; machine: number }
  | { kind: 'pause' | 'clock' | 'disk-full'; machine: number; ms: number };

export type ActionOf<Kind extends Action['kind']> = Action & { kind: Kind };

/** An action and its time, in milliseconds after the beginning. */
export interface TimedAction {
  at: number;
  action: Action;
}

/** What draws of actions need to know of a world. */
export interface PlanContext {
  machines: number;
  channels: number;
  rates: FaultRates;
}

export const ADMIN = 0;
/** The people of the workspace who are neither admins nor guests. */
export const MEMBERS = [1, 2] as const;
/** Somebody from another workspace. */
export const EXTERNAL = 3;
/** A guest, who is in none of the channels at first. */
export const GUEST = 4;
/** How many people are in the channels. */
export const USERS = 4;

const NAMES = ['report.pdf', 'photo 1.jpg', 'notes.txt', 'Entwurf Ä.docx', 'a&b <c>.png', 'v2.zip'];
const SIZES = [1, 300, 300, 2_000, 2_000, 9_000];

/** Draws a share of `count` files; null: usually a few, and sometimes more. */
export function drawShare(
  rng: Rng,
  { channels }: Pick<PlanContext, 'channels'>,
  files: number | null = null,
): ActionOf<'share'> {
  const some = () => (rng.chance(0.8) ? rng.int(1, 3) : rng.int(1, 14));
  const count = files ?? some();
  const twins = rng.chance(0.3);
  const name = rng.pick(NAMES);
  const size = rng.pick(SIZES);
  const shared = Array.from({ length: count }, (_, index) => ({
    name: twins ? name : `${index + 1} ${rng.pick(NAMES)}`,
    size: twins ? size : rng.pick(SIZES),
    hiddenMs: rng.chance(0.05) ? rng.int(500, 60_000) : 0,
  }));
  return {
    kind: 'share',
    channel: rng.int(0, channels - 1),
    user: rng.int(0, USERS - 1),
    files: shared,
    inThread: rng.chance(0.2),
  };
}

/** Returns the command text that links a channel to a folder. */
export function linkText(folder: number): string {
  return `link ${PROJECT}/${FOLDERS[folder % FOLDERS.length]}`;
}

type OfEachKind<Kinds extends Action, Result> = {
  [Kind in Kinds['kind']]: (action: ActionOf<Kind>) => Result;
};

const COMMANDS: OfEachKind<CommandAction, string> = {
  list: () => '/files',
  folders: () => '/folders',
  status: () => '/files status',
  find: ({ words }) => `/files find ${words}`,
  form: () => '/files link',
  settings: () => '/files settings',
  link: ({ folder }) => `/files ${linkText(folder)}`,
  unlink: () => '/files unlink',
  announce: ({ on }) => `/files announce ${on ? 'on' : 'off'}`,
};

export function isCommand(action: Action): action is CommandAction {
  return action.kind in COMMANDS;
}

/** Returns the command that somebody types, with its text. */
export function typedText(action: CommandAction): string {
  return (COMMANDS[action.kind] as (action: CommandAction) => string)(action);
}

/** Returns an action as a sentence of the trace, with all that was drawn for it. */
export function describeAction(action: Action): string {
  if (isCommand(action))
    return `${who(action.user)} types ${typedText(action)} in ${place(action.channel)}`;
  return (DESCRIPTIONS[action.kind] as (action: Action) => string)(action);
}

const DESCRIPTIONS: OfEachKind<Exclude<Action, CommandAction>, string> = {
  share: ({ channel, user, files, inThread }) =>
    `${who(user)} shares ${named(files)} in ${inThread ? 'a thread of ' : ''}${place(channel)}`,
  're-share': ({ channel, user }) => `${who(user)} shares an earlier file in ${place(channel)}`,
  edit: ({ files, last }) =>
    `${last ? 'the last' : 'a'} shared message is edited${files.length > 0 ? ` and gets ${named(files)}` : ''}`,
  home: ({ user }) => `${who(user)} opens the App Home`,
  where: ({ user }) => `${who(user)} asks where a message is filed`,
  'find-files': ({ user }) => `${who(user)} calls the shortcut “Find files”`,
  paste: ({ channel, user }) => `${who(user)} posts a file's address in ${place(channel)}`,
  save: ({ user, of }) => `${who(user)} saves ${SAVED[of]}`,
  press: ({ actionId, choice = '', user, times, newest }) =>
    `${user === undefined ? 'somebody' : who(user)} presses ${newest ? 'the newest' : 'a'} button "${actionId}"${choice}${times > 1 ? ` ${times} times` : ''}`,
  'other-requests': ({ calls }) => `another user makes ${count(calls, 'request')} to the service`,
  'other-creates': () => 'another user files a twin of one of our files',
  'other-deletes': () => 'another user deletes a file in the service',
  'attachments-forgotten': () => 'the service forgets its unused attachments',
  outage: ({ ms }) => `the service is down for ${span(ms)}`,
  'slow-service': ({ ms }) => `the service is slow for ${span(ms)}`,
  'slow-network': ({ ms }) => `requests reach the service late for ${span(ms)}`,
  'lost-creates': ({ ms }) => `creates and their answers are lost for ${span(ms)}`,
  'creates-unsent': ({ ms }) => `creates do not reach the service for ${span(ms)}`,
  'creates-unanswered': ({ ms }) => `the answers to creates are lost for ${span(ms)}`,
  'wrong-refusals': ({ ms }) => `the service refuses creates that it did, for ${span(ms)}`,
  'rate-limiting': ({ ms }) => `the service answers 429 for ${span(ms)}`,
  'key-revoked': ({ ms }) => `the service refuses the key for ${span(ms)}`,
  'folder-deleted': ({ folder }) =>
    `another user deletes ${folder === undefined ? 'a folder' : `the folder ${FOLDERS[folder]}`}`,
  'slack-silent': ({ ms }) => `Slack delivers no event for ${span(ms)}`,
  'slack-file-deleted': ({ ofLast }) =>
    `${ofLast === undefined ? 'a file' : `file ${ofLast + 1} of the last shared message`} is deleted in Slack`,
  'message-deleted': ({ withFiles, last }) =>
    `${last ? 'the last' : 'a'} shared message is deleted${withFiles ? ' with its files' : ''}`,
  'bot-removed': ({ channel, ms, inviter }) =>
    `the bot is removed from ${place(channel)} and ${invited(inviter)} ${span(ms)} later`,
  'bot-re-added': ({ channel, inviter }) =>
    `the bot is removed from ${place(channel)} and ${invited(inviter)} at once`,
  archived: ({ channel }) => `${place(channel)} is archived`,
  'history-fails': ({ ms }) => `Slack’s history fails for ${span(ms)}`,
  kill: ({ machine, crashPoints, downMs }) =>
    `${app(machine)} is to be killed ${count(crashPoints, 'crash point')} from now and started ${span(downMs)} later`,
  'kill-on-ack': ({ machine, downMs }) =>
    `${app(machine)} is to be killed as it answers an event and started ${span(downMs)} later`,
  restart: ({ machine, downMs }) => `${app(machine)} is stopped and started ${span(downMs)} later`,
  'second-process': ({ machine }) => `${app(machine)} is started a second time`,
  pause: ({ machine, ms }) => `${app(machine)} is paused for ${span(ms)}`,
  clock: ({ machine, ms }) => `the clock of ${app(machine)} jumps by ${span(ms)}`,
  'disk-full': ({ machine, ms }) => `the disk of ${app(machine)} is full for ${span(ms)}`,
};

const SAVED: Record<ActionOf<'save'>['of'], string> = {
  shared: 'the files of a shared message',
  deleted: 'the files of a message of which the app deleted one',
  'to-app': 'a file just sent to the bot',
  'to-somebody': 'a file just sent to Cleo',
  last: 'what was last saved, again',
};

/** In the order of `userAccounts`. */
const PEOPLE = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'];

const who = (user: number) => PEOPLE[user] ?? `person ${user}`;
const place = (channel: number) => `#channel-${channel + 1}`;
const app = (machine: number) => `app ${machine + 1}`;
const span = (ms: number) => `${ms / 1000} s`;
const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const invited = (by: number | null) => `invited again${by === null ? '' : ` by ${who(by)}`}`;

function named(files: readonly PlannedFile[]): string {
  return files
    .map(({ name, size, hiddenMs }) => {
      const hidden = hiddenMs > 0 ? `, hidden for ${span(hiddenMs)}` : '';
      return `${name} (${size} B${hidden})`;
    })
    .join(', ');
}
