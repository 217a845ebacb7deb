import { createHash } from 'node:crypto';
import { bytesFrom, type Chance, pickAt } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { KnownShare, Truth } from '../oracle/oracle.ts';
import { SAVE_FORM } from '../oracle/saves.ts';
import type { Deed, PlannedFile } from '../plan/actions.ts';
import { FOLDERS, PROJECT } from '../service/account.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import type { Asking } from '../slack/state.ts';
import {
  type AppWatch,
  BOT,
  directWith,
  type Ephemeral,
  isDirect,
  type Json,
  type Modal,
  newMessage,
  PARTNER_TEAM,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  type SlackState,
  TEAM,
} from '../slack/state.ts';
import { fillForm, fillSaveForm } from './forms.ts';

/** A command or a press whose sender waits for a response. */
export interface Asked extends Asking {
  what: string;
  /** Whether the app acknowledged it in time. */
  acknowledged: boolean;
  /** Whether this kind always gets a response in words. */
  wantsAnswer: boolean;
}

interface Place {
  channel: number;
  user: number;
}

export interface People {
  share(deed: Extract<Deed, { kind: 'share' }>, pick: number): void;
  shareAgain(deed: Place, pick: number): void;
  edit(deed: Extract<Deed, { kind: 'edit' }>, pick: number): void;
  command(command: string, text: string, at: Place): void;
  /** Asks where the files of a message are, by the message shortcut. */
  where(deed: { user: number }, pick: number): void;
  /** Saves the files of a message by hand. */
  save(deed: Extract<Deed, { kind: 'save' }>, pick: number): void;
  openHome(deed: { user: number }): void;
  press(deed: Extract<Deed, { kind: 'press' }>, pick: number): void;
  /**
   * Presses the message's first button with this action, as the person who sees it; null: there is
   * none.
   */
  pressIn(shown: Ephemeral, action: string): Asked | null;
  /** Fills in the form that a modal shows. */
  fill(modal: Modal): void;
  /** Returns how many people have a form open in which they save files. */
  saving(): number;
  asked: Asked[];
}

interface PeopleParts {
  slack: SlackModel;
  truth: Truth;
  chance: Chance;
  watch: AppWatch;
}

/** Creates the people of a world. They press buttons by action, so they need no labels. */
export function createPeople({ slack, truth, chance, watch }: PeopleParts): People {
  const { state } = slack;
  const channels = [...state.channels.values()];
  const users = [...state.users.keys()];
  const asked: Asked[] = [];
  const forms = chance.fork('forms');
  const channelAt = (index: number) => pickAt(channels, index / channels.length);
  const userAt = (index: number) => pickAt(users, index / users.length);
  const teamOf = (user: string) => state.users.get(user)?.team;
  const chanceOfFiles = chance.fork('files sent directly or added');
  let saving = 0;
  let fileCount = 0;
  let lastSaved: KnownShare | null = null;

  function newFile(
    { name, size, hiddenMs }: PlannedFile,
    user: string,
    from: Chance = chance,
  ): SlackFile {
    fileCount += 1;
    const bytes = bytesFrom(from, size + 16).subarray(0, Math.max(size, 8));
    bytes.writeUInt32BE(fileCount, 0);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = `F${String(fileCount).padStart(8, '0')}`;
    const visibleAt = hiddenMs === 0 ? 0 : virtualNow() + hiddenMs;
    const file = { id, name, bytes, sha256, user, visibleAt, deleted: false };
    state.files.set(id, file);
    return file;
  }

  function post(channel: SlackChannel, given: Partial<SlackMessage>): SlackMessage {
    const message = newMessage(state.nextTs(), given);
    channel.messages.push(message);
    const files = message.files.length > 0 ? { subtype: 'file_share' } : {};
    if (message.files.length > 0)
      truth.shares.push({
        channel: channel.id,
        message,
        user: message.user,
        added: [],
        excused: slack.deaf(channel.id),
        takenAt: null,
        markedAt: null,
        mayStay: false,
        deleted: false,
        deletionTaken: false,
      });
    slack.tell(channel, { ...slack.show(channel, message), ...files });
    return message;
  }

  function ask(what: string, wantsAnswer: boolean, asking: Omit<Asking, 'askedAt' | 'answers'>) {
    const entry = { ...asking, askedAt: virtualNow(), answers: [], acknowledged: false };
    const made: Asked = { ...entry, what, wantsAnswer };
    asked.push(made);
    return made;
  }

  function inThread({ threadTs }: SlackMessage, asking: Asked): void {
    if (threadTs !== null) state.askedInThreads.push({ threadTs, asking });
  }

  function by(user: string): Json {
    return { team: { id: TEAM }, user: { id: user, team_id: teamOf(user) } };
  }

  function pressOne(button: Button, user: string): Asked {
    const { actionId, value, on, blockId, sent } = button;
    const shown = 'ephemeral' in on ? on.ephemeral : 'home' in on ? on.home : null;
    const channel = shown?.channel ?? ('channel' in on ? on.channel.id : '');
    const original = 'ephemeral' in on ? on.ephemeral : null;
    const wantsAnswer = ANSWERED.test(actionId);
    const about = /"c":"(\w+)"/.exec(value)?.[1];
    const entry = ask(`${actionId} ${value}`, wantsAnswer, { channel, user, about, original });
    if ('home' in on) state.askedAtHome.push(entry);
    if ('message' in on) inThread(on.message, entry);
    truth.pressed({ actionId, value, user, channel }, entry);
    void slack.interact(entry, {
      type: 'block_actions',
      ...by(user),
      ...placeOf(button),
      actions: [{ ...sent, action_id: actionId, block_id: blockId, action_ts: '1' }],
    });
    return entry;
  }

  return {
    asked,
    saving: () => saving,
    share: ({ channel, user, files, inThread }, pick) => {
      const place = channelAt(channel);
      const who = userAt(user);
      if (!place.members.has(who)) return;
      const parents = place.messages.filter(({ own, threadTs }) => !own && threadTs === null);
      const threadTs = inThread && parents.length > 0 ? pickAt(parents, pick).ts : null;
      const named = files.map((file) => ({ ...file, name: nameIn(place, file.name, users) }));
      post(place, { user: who, threadTs, files: named.map((file) => newFile(file, who)) });
    },
    shareAgain: ({ channel, user }, pick) => {
      const files = [...state.files.values()].filter(({ deleted }) => !deleted);
      const place = channelAt(channel);
      if (files.length === 0 || !place.members.has(userAt(user))) return;
      post(place, { user: userAt(user), files: [pickAt(files, pick)] });
    },
    edit: ({ files, last }, pick) => {
      const there = truth.shares.filter(({ deleted }) => !deleted);
      const share = last ? there.at(-1) : there.length > 0 && pickAt(there, pick);
      const place = share && state.channels.get(share.channel);
      if (!place || place.archived) return;
      const { message } = share;
      const previous_message = slack.show(place, message);
      message.text = `${message.text} (edited)`;
      for (const planned of files) {
        const name = nameIn(place, `${MORE} ${planned.name}`, users);
        const file = newFile({ ...planned, name }, message.user, chanceOfFiles);
        message.files.push(file);
        share.added.push({
          file,
          at: virtualNow(),
          takenAt: null,
          seenAt: null,
          excused: slack.deaf(place.id),
        });
      }
      const event = { type: 'message', subtype: 'message_changed', hidden: true, previous_message };
      slack.tell(place, { ...event, message: slack.show(place, message), ts: state.nextTs() });
    },
    command: (command, text, { channel, user }) => {
      const place = channelAt(channel);
      const who = userAt(user);
      // People from other workspaces do not have this workspace's commands.
      if (teamOf(who) !== TEAM || !place.members.has(who)) return;
      const wantsAnswer = text === 'link' || !/link|announce/.test(text);
      const asking = { channel: place.id, user: who, original: null };
      const [, folder] = /^link \d+\/(\d+)$/.exec(text) ?? [];
      if (folder) truth.links.wish({ channel: place.id, user: who, folder: Number(folder) });
      if (text === 'unlink') truth.links.unlinkWished(place.id);
      void slack.command(ask(`${command} ${text}`, wantsAnswer, asking), {
        command,
        text,
        channel_id: place.id,
        user_id: who,
        team_id: teamOf(who),
      });
    },
    where: ({ user }, pick) => {
      const who = userAt(user);
      const seen = seenBy(who);
      if (seen.length === 0 || teamOf(who) !== TEAM) return;
      const share = pickAt(seen, pick);
      const entry = shortcut('where_filed', share, who);
      entry.onAnswer = truth.saysWhere(share);
    },
    save: ({ user, of }, pick) => {
      const who = userAt(user);
      const share = messageToSave(of, who, pick);
      if (!share) return;
      lastSaved = share;
      shortcut(SAVE_FORM, share, who);
    },
    openHome: ({ user }) => {
      const who = userAt(user);
      if (teamOf(who) !== TEAM) return;
      void slack.openHome(ask('App Home', true, { channel: '', user: who, original: null }));
    },
    fill: (modal) => {
      const own = forms.fork(modal.id);
      const tools = { slack, truth, watch, ask, by };
      if (modal.view['callback_id'] === 'link_channel')
        void fillForm(modal, own, { ...tools, sent: truth.links.formSent });
      const share = modal.view['callback_id'] === SAVE_FORM && truth.saves.messageOf(modal);
      if (!share) return;
      const again = () => void shortcut(SAVE_FORM, share, modal.user);
      saving += 1;
      void fillSaveForm(
        modal,
        { chance: own, again },
        { ...tools, sent: truth.saves.formSent },
      ).finally(() => (saving -= 1));
    },
    pressIn: (shown, action) => {
      const found = buttonsOf(shown.blocks, { ephemeral: shown });
      const button = found.find(({ actionId }) => actionId === action);
      return button ? pressOne(button, shown.user) : null;
    },
    press: ({ action, times, newest }, pick) => {
      const found = allButtons(state).filter(
        ({ actionId }) => action === 'any' || actionId.startsWith(action),
      );
      const button = newest ? found.at(-1) : found.length > 0 && pickAt(found, pick);
      if (!button) return;
      const user = whoSees(button, (pick * 7) % 1);
      for (let n = 0; n < times; n += 1) pressOne(button, user);
    },
  };

  function seenBy(who: string): KnownShare[] {
    return truth.shares.filter(
      ({ channel, deleted }) => !deleted && state.channels.get(channel)?.members.has(who),
    );
  }

  function messageToSave(
    of: Extract<Deed, { kind: 'save' }>['of'],
    who: string,
    pick: number,
  ): KnownShare | undefined {
    if (of === 'last') return seenBy(who).find((share) => share === lastSaved);
    if (of !== 'shared') return sendDirectly(who, of === 'to-app' ? BOT.user : OTHER);
    const isGuest = state.users.get(who)?.guest === true;
    const place = isGuest && truth.shares.length > 0 ? pickAt(truth.shares, pick).channel : '';
    if (isGuest) state.channels.get(place)?.members.add(who);
    const seen = seenBy(who);
    return seen.length === 0 ? undefined : pickAt(seen, pick);
  }

  function sendDirectly(who: string, to: string): KnownShare | undefined {
    const place = directWith(state, who, to);
    const name = nameIn(place, `${fileCount} direct.pdf`, users);
    const file = newFile({ name, size: 300, hiddenMs: 0 }, who, chanceOfFiles);
    const message = post(place, { user: who, files: [file] });
    return truth.shares.find((share) => share.message === message);
  }

  // Calls a shortcut on a message.
  function shortcut(callback_id: string, { channel, message }: KnownShare, who: string): Asked {
    const asking = { channel, user: who, original: null };
    const entry = ask(`${callback_id} on ${message.ts}`, true, asking);
    const place = state.channels.get(channel);
    inThread(message, entry);
    if (place)
      void slack.interact(entry, {
        type: 'message_action',
        callback_id,
        ...by(who),
        channel: { id: place.id, name: place.name },
        message_ts: message.ts,
        message: slack.show(place, message),
      });
    return entry;
  }

  function whoSees({ on }: Button, pick: number): string {
    if ('ephemeral' in on) return on.ephemeral.user;
    if ('home' in on) return on.home.user;
    return pickAt(
      users.filter((user) => on.channel.members.has(user)),
      pick,
    );
  }
}

/** Buttons whose press gets a response to the person who pressed. */
const ANSWERED = /^(delete_file|attention_|home_|found_|link_channel)/;

/**
 * Begins the name of a file that is shared in a channel that not everybody is in; no other name has
 * it.
 */
export const ONLY_HERE = 'only here';

/** Begins the name of a file that an edit adds to a message. */
const MORE = 'more';

function nameIn({ members }: SlackChannel, name: string, users: readonly string[]): string {
  return users.every((user) => members.has(user) || user === GUEST_ID)
    ? name
    : `${ONLY_HERE} ${name}`;
}

/** Returns the command text that links a channel to a folder. */
export function linkText(folder: number): string {
  return `link ${PROJECT}/${FOLDERS[folder % FOLDERS.length]}`;
}

const GUEST_ID = 'U0EVE';
/** The person to whom people send files without the app. */
const OTHER = 'U0CLEO';

/**
 * Returns the people of a world: an admin, two members, somebody from another workspace, and a
 * guest who is in no channel yet.
 */
export function peopleOf(): { id: string; team: string; admin: boolean; guest: boolean }[] {
  return [
    { id: 'U0ADA', team: TEAM, admin: true, guest: false },
    { id: 'U0BEN', team: TEAM, admin: false, guest: false },
    { id: 'U0CLEO', team: TEAM, admin: false, guest: false },
    { id: 'U0DAN', team: PARTNER_TEAM, admin: false, guest: false },
    { id: GUEST_ID, team: TEAM, admin: false, guest: true },
  ];
}

/** A button that somebody can press, or a choice in a menu. */
interface Button {
  actionId: string;
  value: string;
  /** What Slack sends of it, besides its identifiers. */
  sent: Json;
  blockId: string;
  on:
    | { ephemeral: Ephemeral }
    | { home: Ephemeral }
    | { channel: SlackChannel; message: SlackMessage };
}

/**
 * Returns all buttons that the app has shown anywhere, newest last in each place, and direct
 * messages before channels.
 */
function allButtons({ ephemerals, homes, channels }: SlackState): Button[] {
  const shown = ephemerals.flatMap((one) => buttonsOf(one.blocks, { ephemeral: one }));
  const atHome = [...homes.values()].flatMap((one) => buttonsOf(one.blocks, { home: one }));
  const inPlaces = [...channels.values()].sort((a, b) => Number(isDirect(b)) - Number(isDirect(a)));
  const posted = inPlaces.flatMap((channel) =>
    channel.messages
      .filter(({ own }) => own)
      .flatMap((message) => buttonsOf(message.blocks, { channel, message })),
  );
  return [...shown, ...atHome, ...posted];
}

function buttonsOf(blocks: readonly Json[], on: Button['on']): Button[] {
  return blocks.flatMap((block, nth) => {
    const blockId = String(block['block_id'] ?? `b${nth}`);
    const elements = [
      ...((block['elements'] ?? []) as Json[]),
      ...(block['accessory'] ? [block['accessory'] as Json] : []),
    ];
    return elements.flatMap(pressable).map((one) => ({ ...one, blockId, on }));
  });
}

function pressable(element: Json): Pick<Button, 'actionId' | 'value' | 'sent'>[] {
  const actionId = String(element['action_id']);
  if (element['type'] === 'button') {
    const value = String(element['value'] ?? '');
    return [{ actionId, value, sent: { type: 'button', value } }];
  }
  if (element['type'] !== 'static_select') return [];
  return ((element['options'] ?? []) as Json[]).map((option) => ({
    actionId,
    value: String(option['value']),
    sent: { type: 'static_select', selected_option: option },
  }));
}

/** Returns where a button is, in the form that Slack sends with a press. */
function placeOf({ on }: Button): Json {
  if ('home' in on)
    return { container: { type: 'view', view_id: 'VHOME' }, view: { id: 'VHOME', type: 'home' } };
  const channel = 'ephemeral' in on ? on.ephemeral.channel : on.channel.id;
  const message = 'message' in on ? { ts: on.message.ts, blocks: on.message.blocks } : null;
  const thread = 'message' in on && on.message.threadTs ? { thread_ts: on.message.threadTs } : {};
  return {
    channel: { id: channel },
    container: { type: 'message', channel_id: channel, message_ts: message?.ts, ...thread },
    ...(message ? { message } : {}),
  };
}
