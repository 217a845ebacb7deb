import { virtualNow } from '../kernel/virtual-time.ts';
import { FOLDERS } from '../service/account.ts';
import type { Asking } from '../slack/state.ts';
import { BOT, type Ephemeral, type Modal, type SlackState } from '../slack/state.ts';
import { createFormAnswers, isToldTo, type SentForm } from './form-responses.ts';

/** A person's request to link a channel; `folder` null: to a new one. */
interface LinkWish {
  channel: string;
  user: string;
  folder: number | null;
}

/** Checks the links of channels against what people asked for. */
export interface LinkTruth {
  wish(wish: LinkWish): void;
  /** Notes that somebody asks to unlink a channel. */
  unlinkWished(channel: string): void;
  /** Notes that a form that links a channel was submitted; it must get a response. */
  formSent(form: SentForm): void;
  /** Notes that a modal shows something else. */
  modalShows(modal: Modal): void;
  /** Notes a text that the app posts in a channel, or shows there to one reader. */
  said(channel: string, text: string, reader: string | null): void;
  /** Notes what the app tells one person, in the channel or in their direct messages. */
  told(shown: Ephemeral): void;
  /** Notes who adds the app to a channel; null: Slack does not say. */
  invited(channel: string, inviter: string | null): void;
  /** Notes which folders or projects a person is offered. */
  offered(user: string, values: readonly string[]): void;
  /** Notes that the app created a folder. */
  folderMade(folder: { id: number; name: string }): void;
  /** Returns whether files shared in these channels may be filed in a folder. */
  mayHold(folder: number, channels: readonly string[]): boolean;
  /**
   * Returns the only folder that a file shared in a channel at `sharedAt` (milliseconds since the
   * epoch) may go to: the channel had read that it is linked to that folder, and nobody ever asked
   * for another. Null: that cannot be told.
   */
  linkedTo(channel: string, sharedAt: number): number | null;
  /** Returns whether a channel may have been linked to a folder; without a folder: to any. */
  mayBeLinked(channel: string, folder?: number): boolean;
  /** Whether a form was closed and only it could show the result: nobody posts in its channel. */
  isClosed(asking: Asking): boolean;
}

interface LinkTruthOptions {
  state(): SlackState;
  hasDefault: boolean;
  /** Whether a new folder may be hidden from the app, by the service or by a second instance. */
  mayMakeTwice: boolean;
  /** Returns the folders that a text may name. */
  foldersNamed(text: string): number[];
  fail(property: string, what: string): void;
  /** Called when somebody asks to link a channel, or reads that it is linked. */
  mends(): void;
}

const GREETING =
  /^Thanks for adding me|^Files shared here are filed in .* linked this channel to it\.$/;
const ANNOUNCED = /^<@(\w+)> linked this (?:channel|conversation): /;
/**
 * The folder in an announcement of where files go from now on; no folder name in a world has a full
 * stop.
 */
const FILED_IN = /filed in ([^.\n]+)/;
/**
 * A file shared this soon after the announcement may count as shared before it, in milliseconds.
 */
const CLEAR_MS = 5_000;
const SWITCHED = /^<@(\w+)> turned announcements o(?:n|ff)\b/;

export function createLinkTruth(options: LinkTruthOptions): LinkTruth {
  const { state, hasDefault, mayMakeTwice, foldersNamed, fail, mends } = options;
  const wishes: LinkWish[] = [];
  const unlinkWished = new Set<string>();
  const announcements: { channel: string; folder: number; at: number }[] = [];
  const forms = createFormAnswers();
  const made = new Map<number, string>();
  const invitations: { channel: string; inviter: string | null; greetings: number }[] = [];
  const isAdmin = (user: string) => state().users.get(user)?.admin === true;
  const nameOf = (channel: string) => state().channels.get(channel)?.name;

  function mayBeLinked(channel: string, folder?: number): boolean {
    const own = wishes.filter((wish) => wish.channel === channel && isAdmin(wish.user));
    if (folder === undefined) return own.length > 0;
    const isNew = made.get(folder) === nameOf(channel);
    return own.some((wish) => wish.folder === folder || (wish.folder === null && isNew));
  }

  // One greeting each time the app is added: to the person who added it, or to the channel if it is
  // linked.
  function greet(channel: string, reader: string | null, text: string): void {
    const free = invitations.find(
      (one) =>
        one.channel === channel &&
        one.greetings === 0 &&
        (reader === null || one.inviter === reader),
    );
    if (free) free.greetings += 1;
    else fail('who adds the app hears once where files go', `${channel} ${reader}: "${text}"`);
  }

  // Words that may name several folders prove nothing about any of them.
  function noteAnnounced(channel: string, text: string): void {
    const [folder, another] = foldersNamed(FILED_IN.exec(text)?.[1] ?? '');
    if (folder !== undefined && another === undefined)
      announcements.push({ channel, folder, at: virtualNow() });
  }

  function linkedTo(channel: string, sharedAt: number): number | null {
    const told = announcements.findLast(
      (one) => one.channel === channel && one.at + CLEAR_MS < sharedAt,
    );
    if (!told || unlinkWished.has(channel)) return null;
    const own = wishes.filter((one) => one.channel === channel && isAdmin(one.user));
    return own.every(({ folder }) => folder === told.folder) ? told.folder : null;
  }

  function wish(wanted: LinkWish): void {
    wishes.push(wanted);
    mends();
  }

  function told(shown: Ephemeral): void {
    forms.told(shown, ({ asking }) => isToldTo(asking, shown));
  }

  return {
    wish,
    unlinkWished: (channel) => void unlinkWished.add(channel),
    formSent: (form) => {
      forms.sent(form);
      const { channel, user } = form.asking;
      wish({ channel, user, folder: form.folder });
    },
    modalShows: (modal) => void forms.shows(modal),
    invited: (channel, inviter) => void invitations.push({ channel, inviter, greetings: 0 }),
    said: (channel, text, reader) => {
      if (GREETING.test(text)) greet(channel, reader, text);
      const by = ANNOUNCED.exec(text)?.[1] ?? null;
      const asked = wishes.some((wish) => wish.channel === channel && wish.user === by);
      if (by !== null && reader === null && !(isAdmin(by) && asked))
        fail('only who may links a channel, and asked to', `${channel}: "${text}"`);
      if (by !== null) mends();
      if (by !== null && reader === null) noteAnnounced(channel, text);
      const who = by ?? SWITCHED.exec(text)?.[1];
      if (who !== undefined) told({ channel, user: who, text, blocks: [] });
    },
    told,
    offered: (user, values) => {
      if (!isAdmin(user) && values.some((value) => value !== 'none'))
        fail('only who may link is shown what there is', `${user} is offered ${values}`);
    },
    folderMade: ({ id, name }) => {
      const isAgain = [...made.values()].includes(name);
      made.set(id, name);
      if (isAgain && !mayMakeTwice) fail('a folder is made once', `"${name}" is there twice`);
      const wanted = wishes.some(
        ({ channel, user, folder }) => folder === null && isAdmin(user) && nameOf(channel) === name,
      );
      if (!wanted) fail('folders are asked for', `nobody who may asked for "${name}"`);
    },
    mayHold: (folder, channels) =>
      (hasDefault && folder === FOLDERS[0]) ||
      channels.some((channel) => mayBeLinked(channel, folder)),
    linkedTo,
    mayBeLinked,
    isClosed: (asking) => {
      const channel = state().channels.get(asking.channel);
      const isOpen = channel?.members.has(BOT.user) && !channel.archived;
      return !isOpen && forms.isClosed(asking);
    },
  };
}
