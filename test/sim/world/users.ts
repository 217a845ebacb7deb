import { createHash } from 'node:crypto';
import { FIND_FILES } from '../../../src/surfaces/find/find-modal-view.ts';
import { bytesFrom, pickAt, type Rng } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { SAVE_FORM } from '../oracle/saves.ts';
import { type ExpectedShare, textOf } from '../oracle/shares.ts';
import type { ActionOf, ByUser, PlannedFile } from '../plan/actions.ts';
import { addressOf } from '../service/service-model.ts';
import { hashOf, inModal } from '../slack/interactions.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import {
  type AppObserver,
  BOT,
  directWith,
  type Ephemeral,
  homeOf,
  isDirect,
  type Json,
  type Modal,
  messageJson,
  newMessage,
  PARTNER_TEAM,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  type SlackState,
  type SlackUser,
  TEAM,
  type UserRequest,
} from '../slack/state.ts';
import { Form, type FormTools, fillForm, fillSaveForm, fillSearch } from './forms.ts';

const GUEST_ID = 'U0EVE';
/** The person to whom people send files without the app. */
const RECIPIENT = 'U0CLEO';

/** An admin, two members, somebody from another workspace, and a guest who is in no channel yet. */
export const USER_ACCOUNTS: SlackUser[] = [
  { id: 'U0ADA', team: TEAM, admin: true, guest: false },
  { id: 'U0BEN', team: TEAM, admin: false, guest: false },
  { id: 'U0CLEO', team: TEAM, admin: false, guest: false },
  { id: 'U0DAN', team: PARTNER_TEAM, admin: false, guest: false },
  { id: GUEST_ID, team: TEAM, admin: false, guest: true },
];

/** Begins the name of a file that is shared where not everybody is; no other name has it. */
export const PRIVATE_NAME = 'only here';
/** Begins the name of a file that an edit adds to a message. */
const ADDED_NAME = 'more';

/** Buttons whose press gets a response to the person who pressed. */
const ANSWERED_BUTTONS =
  /^(delete_file|file_menu|put_back|save_again|attention_|home_|found_|link_channel|unlink|keep_link)/;
/** Slack itself opens the address of such a choice. */
const OPENS_ADDRESS = /"do":"open"/;

interface UsersOptions {
  slack: SlackModel;
  oracle: Oracle;
  rng: Rng;
  observer: AppObserver;
}

/** The people of a world, who act in Slack. */
export type Users = ReturnType<typeof createUsers>;

export function createUsers({ slack, oracle, rng, observer }: UsersOptions) {
  const { state } = slack;
  const channels = [...state.channels.values()];
  const ids = [...state.users.keys()];
  const requests: UserRequest[] = [];
  const formRng = rng.fork('forms');
  const extraFileRng = rng.fork('files sent directly or added');
  let saving = 0;
  let fileCount = 0;
  let lastSaved: ExpectedShare | null = null;
  let fillNext: ((form: Form) => void) | null = null;
  const channelAt = (index: number) => pickAt(channels, index / channels.length);
  const userAt = (index: number) => pickAt(ids, index / ids.length);
  const teamOf = (user: string) => state.users.get(user)?.team;
  /** Returns a person in the form in which Slack names them in an interaction. */
  const identityOf = (user: string): Json => {
    return { team: { id: TEAM }, user: { id: user, team_id: teamOf(user) } };
  };

  function createFile(planned: PlannedFile, user: string, from: Rng = rng): SlackFile {
    const { name, size, hiddenMs } = planned;
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

  function nameIn({ members }: SlackChannel, name: string): string {
    const seesAll = ids.every((user) => members.has(user) || user === GUEST_ID);
    return seesAll ? name : `${PRIVATE_NAME} ${name}`;
  }

  function post(
    channel: SlackChannel,
    given: Partial<SlackMessage> & Pick<SlackMessage, 'files'>,
  ): ExpectedShare {
    const message = newMessage(state.nextTs(), given);
    channel.messages.push(message);
    const excused = slack.unreachableReason(channel.id);
    const share = oracle.addShare(channel.id, message, excused);
    const event = { ...messageJson(channel, message), subtype: 'file_share' };
    slack.sendChannelEvent(channel, event);
    return share;
  }

  function addRequest(
    what: string,
    given: Pick<UserRequest, 'channel' | 'user'> & Partial<UserRequest>,
  ): UserRequest {
    const request: UserRequest = {
      ...{ what, original: null, modal: null, sentAt: virtualNow(), acknowledged: false },
      ...{ expectsResponse: true, responses: [] },
      ...given,
    };
    requests.push(request);
    return request;
  }

  function noteThread({ threadTs }: SlackMessage, request: UserRequest): void {
    if (threadTs !== null) state.threadRequests.push({ threadTs, request });
  }

  function pressButton(button: Button, user: string): UserRequest {
    const { actionId, value, on, blockId, sent } = button;
    const { channel } = shownBy(on);
    const request = addRequest(`${actionId} ${value}`, {
      channel,
      user,
      about: /"c":"(\w+)"/.exec(value)?.[1],
      original: 'ephemeral' in on ? on.ephemeral : null,
      modal: 'modal' in on ? on.modal : null,
      expectsResponse: ANSWERED_BUTTONS.test(actionId) && !OPENS_ADDRESS.test(value),
    });
    if ('home' in on) state.homeRequests.push(request);
    if ('modal' in on) state.modalRequests.push(request);
    if ('message' in on) noteThread(on.message, request);
    const press = { actionId, value, user, channel };
    oracle.pressed({ ...press, menu: blockId, words: textOf(shownBy(on)) }, request);
    void slack.interact(request, {
      type: 'block_actions',
      ...identityOf(user),
      ...placeOf(button),
      actions: [{ ...sent, action_id: actionId, block_id: blockId, action_ts: '1' }],
    });
    return request;
  }

  function pressFirst(on: Button['on'], wanted: string, choice?: string): UserRequest | null {
    const button = buttonsOf(shownBy(on).blocks, on, state).find(
      ({ actionId, value }) => actionId === wanted && (choice ?? value) === value,
    );
    const [reader = ''] = readersOf(on);
    return button ? pressButton(button, reader) : null;
  }

  function pressInModal(modal: Modal, wanted: string): UserRequest | null {
    return modal.isOpen ? pressFirst({ modal }, wanted) : null;
  }

  function callShortcut(id: string, { channel, message }: ExpectedShare, who: string): UserRequest {
    const request = addRequest(`${id} on ${message.ts}`, { channel, user: who });
    const place = state.channels.get(channel);
    noteThread(message, request);
    if (place)
      void slack.interact(request, {
        type: 'message_action',
        callback_id: id,
        ...identityOf(who),
        channel: { id: place.id, name: place.name },
        message_ts: message.ts,
        message: messageJson(place, message),
      });
    return request;
  }

  function seenBy(who: string): ExpectedShare[] {
    return oracle.shares.filter(
      ({ channel, deleted }) => !deleted && state.channels.get(channel)?.members.has(who),
    );
  }

  function messageToSave(
    of: ActionOf<'save'>['of'],
    who: string,
    pick: number,
  ): ExpectedShare | undefined {
    if (of === 'last') return seenBy(who).find((share) => share === lastSaved);
    const isDeleted = (file: SlackFile) => oracle.deletedAt(file) !== null;
    if (of === 'deleted') return seenBy(who).findLast((one) => one.message.files.some(isDeleted));
    if (of !== 'shared') return sendDirectly(who, of === 'to-app' ? BOT.user : RECIPIENT);
    const isGuest = state.users.get(who)?.guest === true;
    if (isGuest && oracle.shares.length > 0)
      state.channels.get(pickAt(oracle.shares, pick).channel)?.members.add(who);
    const seen = seenBy(who);
    return seen.length === 0 ? undefined : pickAt(seen, pick);
  }

  function sendDirectly(who: string, to: string): ExpectedShare {
    const place = directWith(state, who, to);
    const name = nameIn(place, `${fileCount} direct.pdf`);
    const file = createFile({ name, size: 300, hiddenMs: 0 }, who, extraFileRng);
    return post(place, { user: who, files: [file] });
  }

  function readersOf(on: Button['on']): string[] {
    if ('ephemeral' in on) return [on.ephemeral.user];
    if ('home' in on) return [on.home.user];
    if ('modal' in on) return [on.modal.user];
    return ids.filter((user) => on.channel.members.has(user));
  }

  return {
    requests,
    /** Returns how many people have a form open in which they save files. */
    saving: () => saving,
    share: ({ channel, user, files, inThread }: ActionOf<'share'>, pick: number): void => {
      const place = channelAt(channel);
      const who = userAt(user);
      if (!place.members.has(who)) return;
      const parents = place.messages.filter(({ own, threadTs }) => !own && threadTs === null);
      const threadTs = inThread && parents.length > 0 ? pickAt(parents, pick).ts : null;
      const named = files.map((file) => ({ ...file, name: nameIn(place, file.name) }));
      post(place, { user: who, threadTs, files: named.map((file) => createFile(file, who)) });
    },
    shareAgain: ({ channel, user }: ByUser, pick: number): void => {
      const files = [...state.files.values()].filter(({ deleted }) => !deleted);
      const place = channelAt(channel);
      if (files.length === 0 || !place.members.has(userAt(user))) return;
      post(place, { user: userAt(user), files: [pickAt(files, pick)] });
    },
    edit: ({ files, last }: ActionOf<'edit'>, pick: number): void => {
      const there = oracle.shares.filter(({ deleted }) => !deleted);
      const share = last ? there.at(-1) : there.length > 0 && pickAt(there, pick);
      const place = share && state.channels.get(share.channel);
      if (!place || place.archived) return;
      const { message } = share;
      const previous_message = messageJson(place, message);
      message.text = `${message.text} (edited)`;
      for (const planned of files) {
        const name = nameIn(place, `${ADDED_NAME} ${planned.name}`);
        const file = createFile({ ...planned, name }, message.user, extraFileRng);
        message.files.push(file);
        const excused = slack.unreachableReason(place.id);
        const never = { acknowledgedAt: null, seenAt: null };
        share.added.push({ file, at: virtualNow(), ...never, excused });
      }
      const event = { type: 'message', subtype: 'message_changed', hidden: true, previous_message };
      const edited = { message: messageJson(place, message), ts: state.nextTs() };
      slack.sendChannelEvent(place, { ...event, ...edited });
    },
    command: (typed: string, { channel, user }: ByUser): void => {
      const place = channelAt(channel);
      const who = userAt(user);
      // People from other workspaces do not have this workspace's commands.
      if (teamOf(who) !== TEAM || !place.members.has(who)) return;
      const [command = '', ...words] = typed.split(' ');
      const text = words.join(' ');
      const [, folder] = /^link \d+\/(\d+)$/.exec(text) ?? [];
      const at = { channel: place.id, user: who };
      if (folder) oracle.links.linkRequested({ ...at, folder: Number(folder) });
      const expectsResponse = /^(un)?link$/.test(text) || !/link|announce/.test(text);
      const request = addRequest(`${command} ${text}`, { ...at, expectsResponse });
      const sender = { channel_id: place.id, user_id: who, team_id: teamOf(who) };
      void slack.command(request, { command, text, ...sender });
    },
    /** Asks where the files of a message are, by the message shortcut. */
    askWhere: ({ user }: { user: number }, pick: number): void => {
      const who = userAt(user);
      const seen = seenBy(who);
      if (seen.length === 0 || teamOf(who) !== TEAM) return;
      const share = pickAt(seen, pick);
      const request = callShortcut('where_filed', share, who);
      request.onResponse = oracle.checkWhereFiled(share);
    },
    save: ({ user, of }: ActionOf<'save'>, pick: number): void => {
      const who = userAt(user);
      const share = messageToSave(of, who, pick);
      if (!share) return;
      lastSaved = share;
      callShortcut(SAVE_FORM, share, who);
    },
    /** Calls the shortcut that searches from anywhere. */
    findFiles: ({ user }: { user: number }): void => {
      const who = userAt(user);
      if (teamOf(who) !== TEAM) return;
      // Nobody is told why a modal did not open: its trigger may have come too late.
      const request = addRequest(FIND_FILES, { channel: '', user: who, expectsResponse: false });
      const called = { type: 'shortcut', callback_id: FIND_FILES, action_ts: '1' };
      void slack.interact(request, { ...called, ...identityOf(who) });
    },
    /** Posts the address of a file in the service. */
    paste: ({ channel, user }: ByUser, fileId: number): void => {
      const place = channelAt(channel);
      const who = userAt(user);
      if (!place.members.has(who) || place.archived) return;
      const url = addressOf(fileId);
      const message = newMessage(state.nextTs(), { user: who, text: `<${url}>` });
      place.messages.push(message);
      const links = [{ url, domain: new URL(url).hostname }];
      const event = { type: 'link_shared', user: who, message_ts: message.ts, links };
      slack.sendChannelEvent(place, { ...event, source: 'conversations_history' });
    },
    openHome: ({ user }: { user: number }): void => {
      const who = userAt(user);
      if (teamOf(who) !== TEAM) return;
      void slack.openHome(addRequest('App Home', { channel: '', user: who }));
    },
    fill: (modal: Modal): void => {
      const own = formRng.fork(modal.id);
      const tools = { slack, oracle, observer, addRequest, identityOf, pressIn: pressInModal };
      const search: FormTools = { ...tools, onSubmit: oracle.searches.add };
      const settings: FormTools = { ...tools, onSubmit: oracle.links.formSent };
      const isSearch = modal.view['callback_id'] === FIND_FILES;
      const isSettings = modal.view['callback_id'] === 'link_channel';
      const save: FormTools = { ...tools, onSubmit: oracle.saves.formSent };
      const isSave = modal.view['callback_id'] === SAVE_FORM;
      if ((isSearch || isSettings || isSave) && fillNext) {
        fillNext(new Form(modal, isSearch ? search : isSave ? save : settings));
        fillNext = null;
        return;
      }
      if (isSearch) void fillSearch(modal, own, search);
      else if (isSettings) void fillForm(modal, own, settings);
      const share = isSave && oracle.saves.messageOf(modal);
      if (!share) return;
      const again = () => void callShortcut(SAVE_FORM, share, modal.user);
      saving += 1;
      void fillSaveForm(modal, { rng: own, again }, save).finally(() => (saving -= 1));
    },
    /** The next form that opens is filled in by `fill`. */
    fillNextBy: (fill: (form: Form) => void): void => {
      fillNext = fill;
    },
    /**
     * Presses the message's first button with this action, or chooses the first such choice of a menu
     * with this value; returns null if there is none.
     */
    pressIn: (shown: Ephemeral, wanted: string, choice?: string): UserRequest | null =>
      pressFirst({ ephemeral: shown }, wanted, choice),
    pressInModal,
    /** The same in a person's App Home. */
    pressAtHome: (user: number, wanted: string, choice?: string): UserRequest | null => {
      const home = state.homes.get(userAt(user));
      return home ? pressFirst({ home }, wanted, choice) : null;
    },
    press: (action: ActionOf<'press'>, pick: number): void => {
      const { actionId: wanted, choice, user: by, times, newest } = action;
      const who = by === undefined ? null : userAt(by);
      const found = allButtons(state).filter(
        ({ actionId, value, on }) =>
          (wanted === 'any' || actionId.startsWith(wanted)) &&
          (choice ?? value) === value &&
          (who === null || readersOf(on).includes(who)),
      );
      const button = newest ? found.at(-1) : found.length > 0 && pickAt(found, pick);
      if (!button) return;
      const user = who ?? pickAt(readersOf(button.on), (pick * 7) % 1);
      for (let n = 0; n < times; n += 1) pressButton(button, user);
    },
  };
}

/** Returns the value of a channel in a picker of channels: it reads like a claim about the channel. */
export const pickOf = (channel: string) => JSON.stringify({ c: channel });

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
    | { modal: Modal }
    | { channel: SlackChannel; message: SlackMessage };
}

// Returns what somebody reads around a button.
function shownBy(on: Button['on']): Omit<Ephemeral, 'user'> {
  if ('ephemeral' in on) return on.ephemeral;
  if ('home' in on) return on.home;
  if ('message' in on) return { ...on.message, channel: on.channel.id };
  const { channel } = JSON.parse(String(on.modal.view['private_metadata'] || '{}'));
  return { ...inModal(on.modal), channel: String(channel ?? homeOf(on.modal.user)) };
}

// Returns all buttons that the app has shown anywhere, newest last in each place, and direct
// messages before channels.
function allButtons(state: SlackState): Button[] {
  const { ephemerals, homes, modals, channels } = state;
  const inModals = modals
    .filter(({ isOpen }) => isOpen)
    .flatMap((modal) => buttonsOf(inModal(modal).blocks, { modal }, state));
  const shown = ephemerals.flatMap((one) => buttonsOf(one.blocks, { ephemeral: one }, state));
  const atHome = [...homes.values()].flatMap((one) => buttonsOf(one.blocks, { home: one }, state));
  const inPlaces = [...channels.values()].sort((a, b) => Number(isDirect(b)) - Number(isDirect(a)));
  const posted = inPlaces.flatMap((channel) =>
    channel.messages
      .filter(({ own }) => own)
      .flatMap((message) => buttonsOf(message.blocks, { channel, message }, state)),
  );
  return [...inModals, ...shown, ...atHome, ...posted];
}

function buttonsOf(blocks: readonly Json[], on: Button['on'], state: SlackState): Button[] {
  return blocks.flatMap((block, nth) => {
    const blockId = String(block['block_id'] ?? `b${nth}`);
    const accessory = block['accessory'] ? [block['accessory'] as Json] : [];
    const elements = [...((block['elements'] ?? []) as Json[]), ...accessory];
    return elements.flatMap((one) => choicesOf(one, state)).map((one) => ({ ...one, blockId, on }));
  });
}

function choicesOf(
  element: Json,
  { channels }: SlackState,
): Pick<Button, 'actionId' | 'value' | 'sent'>[] {
  const actionId = String(element['action_id']);
  if (element['type'] === 'button') {
    const value = String(element['value'] ?? '');
    return [{ actionId, value, sent: { type: 'button', value } }];
  }
  const { type } = element;
  if (type === 'conversations_select')
    return [...channels.values()].flatMap(({ id }) => {
      const sent = { type, selected_conversation: id };
      return isDirect({ id }) ? [] : [{ actionId, value: pickOf(id), sent }];
    });
  if (type !== 'static_select' && type !== 'overflow') return [];
  return ((element['options'] ?? []) as Json[]).map((option) => ({
    actionId,
    value: String(option['value']),
    sent: { type, selected_option: option },
  }));
}

// Returns where a button is, in the form that Slack sends with a press.
function placeOf({ on }: Button): Json {
  if ('home' in on)
    return { container: { type: 'view', view_id: 'VHOME' }, view: { id: 'VHOME', type: 'home' } };
  if ('modal' in on) return placeOfModal(on.modal);
  const channel = 'ephemeral' in on ? on.ephemeral.channel : on.channel.id;
  const message = 'message' in on ? { ts: on.message.ts, blocks: on.message.blocks } : null;
  const thread = 'message' in on && on.message.threadTs ? { thread_ts: on.message.threadTs } : {};
  return {
    channel: { id: channel },
    container: { type: 'message', channel_id: channel, message_ts: message?.ts, ...thread },
    ...(message ? { message } : {}),
  };
}

function placeOfModal(modal: Modal): Json {
  const { id, view } = modal;
  const shown = { ...view, id, type: 'modal', hash: hashOf(modal), state: { values: {} } };
  return { container: { type: 'view', view_id: id }, view: shown };
}
