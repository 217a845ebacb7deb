import { virtualNow } from '../kernel/virtual-time.ts';
import { FOLDERS } from '../service/account-seed.ts';
import type { Ephemeral, Modal, SlackState } from '../slack/slack-state.ts';
import { createFormAnswers, isToldTo, type SentForm } from './form-answers.ts';

/** Somebody wants a channel to be linked; `folder` null: to a new one. */
export interface LinkWish {
  channel: string;
  user: string;
  folder: number | null;
}

/** What must be so of the links of channels, from what people asked for. */
export interface LinkTruth {
  wish(wish: LinkWish): void;
  /** Somebody wants a channel to be unlinked. */
  unlinkWished(channel: string): void;
  /** A form that links a channel was sent: one of the things that may answer it must. */
  formSent(form: SentForm): void;
  /** A modal shows something else. */
  modalShows(modal: Modal): void;
  /** The app posts this in a channel, or shows it there to one person. */
  said(channel: string, text: string, reader: string | null): void;
  /** The app tells one person something, in the channel or in their direct messages. */
  told(shown: Ephemeral): void;
  /** Somebody brings the app into a channel; null: it is not said who. */
  invited(channel: string, inviter: string | null): void;
  /** Somebody is offered folders or projects to choose from. */
  offered(user: string, values: readonly string[]): void;
  /** The app made a folder. */
  folderMade(folder: { id: number; name: string }): void;
  /** Whether what is shared in these channels may be filed in a folder. */
  mayHold(folder: number, channels: readonly string[]): boolean;
  /**
   * The only folder that what was shared in a channel then (in milliseconds since the epoch) may go to, as the
   * channel had been told that it is linked to that one, and nobody ever wanted anything else; null: that
   * cannot be told.
   */
  linkedTo(channel: string, sharedAt: number): number | null;
  /** Whether a channel may have been linked to a folder; without one: to any. */
  mayBeLinked(channel: string, folder?: number): boolean;
}

export interface LinkTruthOptions {
  state(): SlackState;
  hasDefault: boolean;
  /** Whether the service, or the app's being several, may hide that a folder has just been made. */
  mayMakeTwice: boolean;
  /** The folders that words may name. */
  foldersNamed(text: string): number[];
  fail(property: string, what: string): void;
  /** Somebody asks that a channel be linked, or reads that it is. */
  mends(): void;
}

const GREETING =
  /^Thanks for adding me|^Files shared here are filed in .* linked this channel to it\.$/;
const ANNOUNCED = /^<@(\w+)> linked this channel: /;
/** Where files go from now on, of what is announced: no folder in a world has a full stop in its name. */
const FILED_IN = /filed in ([^.\n]+)/;
/** What is shared so soon after the announcement may have come before it. */
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

  // One a time that it is brought in, to whoever did so, or to the channel where that is linked.
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

  // What names no folder alone says of none.
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
  };
}
