import { FOLDERS } from '../service/account-seed.ts';
import type { Deed, PlannedFile } from './deeds.ts';
import { linkText } from './people.ts';

/** Returns a deed as a sentence of the trace, with all that was drawn for it. */
export function deedInWords(deed: Deed): string {
  return (WORDS[deed.kind] as (deed: Deed) => string)(deed);
}

type Words = { [Kind in Deed['kind']]: (deed: Extract<Deed, { kind: Kind }>) => string };

const WORDS: Words = {
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
