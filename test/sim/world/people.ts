import { createHash } from 'node:crypto';
import { bytesFrom, type Chance, pickAt } from '../kernel/chance.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { FOLDERS, PROJECT } from '../service/account-seed.ts';
import type { Asking } from '../slack/response-urls.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import {
  type Ephemeral,
  type Json,
  newMessage,
  PARTNER_TEAM,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  TEAM,
} from '../slack/slack-state.ts';
import type { Deed, PlannedFile } from './plan.ts';
import type { Truth } from './truth.ts';

/** A command or a press that somebody waits for. */
export interface Asked extends Asking {
  what: string;
  /** Whether the app acknowledged it in time. */
  acknowledged: boolean;
  /** Whether every one is answered in words. */
  wantsAnswer: boolean;
}

export interface People {
  share(deed: Extract<Deed, { kind: 'share' }>, pick: number): void;
  shareAgain(deed: { channel: number; user: number }, pick: number): void;
  edit(pick: number): void;
  command(command: string, text: string, at: { channel: number; user: number }): void;
  press(deed: Extract<Deed, { kind: 'press' }>, pick: number): void;
  /** Presses the first such button of a message, as whoever sees it; null: there is none. */
  pressIn(shown: Ephemeral, action: string): Asked | null;
  asked: Asked[];
}

/** Words that tell a button that changes nothing from others are not needed: presses are by action. */
export function createPeople(slack: SlackModel, truth: Truth, chance: Chance): People {
  const { state } = slack;
  const channels = [...state.channels.values()];
  const users = [...state.users.keys()];
  const asked: Asked[] = [];
  const channelAt = (index: number) => pickAt(channels, index / channels.length);
  const userAt = (index: number) => pickAt(users, index / users.length);
  let fileCount = 0;

  function newFile({ name, size, hiddenMs }: PlannedFile, user: string): SlackFile {
    fileCount += 1;
    const bytes = bytesFrom(chance, size + 16).subarray(0, Math.max(size, 8));
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
        excused: slack.deaf(channel.id),
        takenAt: null,
        markedAt: null,
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

  function buttons(deed: { action: string }): Button[] {
    const wanted = (button: Button) =>
      deed.action === 'any' || button.actionId.startsWith(deed.action);
    const shown = state.ephemerals.flatMap((one) => buttonsOf(one.blocks, { ephemeral: one }));
    const posted = channels.flatMap((channel) =>
      channel.messages
        .filter(({ own }) => own)
        .flatMap((message) => buttonsOf(message.blocks, { channel, message })),
    );
    return [...shown, ...posted].filter(wanted);
  }

  function pressOne({ actionId, value, on }: Button, user: string): Asked {
    const channel = 'ephemeral' in on ? on.ephemeral.channel : on.channel.id;
    const original = 'ephemeral' in on ? on.ephemeral : null;
    const entry = ask(`${actionId} ${value}`, actionId === 'delete_file', {
      channel,
      user,
      original,
    });
    if (actionId === 'delete_file') notePress(value, user);
    if (actionId === 'delete_copies') truth.copiesPresses.push({ channel, user });
    const shown =
      'message' in on ? { message: { ts: on.message.ts, blocks: on.message.blocks } } : {};
    void slack.interact(entry, {
      type: 'block_actions',
      team: { id: TEAM },
      user: { id: user, team_id: state.users.get(user)?.team },
      channel: { id: channel },
      container: { type: 'message', channel_id: channel },
      actions: [{ type: 'button', action_id: actionId, block_id: 'b1', value, action_ts: '1' }],
      ...shown,
    });
    return entry;
  }

  function notePress(value: string, user: string): void {
    const known = state.users.get(user);
    const fileId = Number(/"id":(\d+)/.exec(value)?.[1]);
    const mine = truth.sharersOf(fileId).includes(user);
    const allowed = known !== undefined && known.team === TEAM && (known.admin || mine);
    truth.presses.push({ value, user, allowed });
  }

  return {
    asked,
    share: ({ channel, user, files, inThread }, pick) => {
      const place = channelAt(channel);
      const parents = place.messages.filter(({ own, threadTs }) => !own && threadTs === null);
      const threadTs = inThread && parents.length > 0 ? pickAt(parents, pick).ts : null;
      const who = userAt(user);
      post(place, { user: who, threadTs, files: files.map((file) => newFile(file, who)) });
    },
    shareAgain: ({ channel, user }, pick) => {
      const files = [...state.files.values()].filter(({ deleted }) => !deleted);
      if (files.length === 0) return;
      post(channelAt(channel), { user: userAt(user), files: [pickAt(files, pick)] });
    },
    edit: (pick) => {
      if (truth.shares.length === 0) return;
      const { channel, message } = pickAt(truth.shares, pick);
      const place = state.channels.get(channel);
      if (!place) return;
      message.text = `${message.text} (edited)`;
      const shown = slack.show(place, message);
      const event = { type: 'message', subtype: 'message_changed', hidden: true, message: shown };
      slack.tell(place, { ...event, ts: state.nextTs() });
    },
    command: (command, text, { channel, user }) => {
      const place = channelAt(channel);
      const who = userAt(user);
      // People of other workspaces have no commands of this one's apps.
      if (state.users.get(who)?.team !== TEAM) return;
      const wantsAnswer = command === '/folders' || !/link/.test(text);
      const entry = ask(`${command} ${text}`, wantsAnswer, {
        channel: place.id,
        user: who,
        original: null,
      });
      void slack.command(entry, {
        command,
        text,
        channel_id: place.id,
        user_id: who,
        team_id: state.users.get(who)?.team,
      });
    },
    pressIn: (shown, action) => {
      const found = buttonsOf(shown.blocks, { ephemeral: shown });
      const button = found.find(({ actionId }) => actionId === action);
      return button ? pressOne(button, shown.user) : null;
    },
    press: ({ action, times, newest }, pick) => {
      const found = buttons({ action });
      if (found.length === 0) return;
      const button = newest ? found.at(-1) : pickAt(found, pick);
      if (!button) return;
      const anybody = pickAt(users, (pick * 7) % 1);
      const user = 'ephemeral' in button.on ? button.on.ephemeral.user : anybody;
      for (let n = 0; n < times; n += 1) pressOne(button, user);
    },
  };
}

/** What is typed to link a channel to a folder. */
export function linkText(folder: number): string {
  return `link ${PROJECT}/${FOLDERS[folder % FOLDERS.length]}`;
}

interface Button {
  actionId: string;
  value: string;
  on: { ephemeral: Ephemeral } | { channel: SlackChannel; message: SlackMessage };
}

function buttonsOf(blocks: readonly Json[], on: Button['on']): Button[] {
  const elements = blocks.flatMap((block) => [
    ...((block['elements'] ?? []) as Json[]),
    ...(block['accessory'] ? [block['accessory'] as Json] : []),
  ]);
  return elements
    .filter((element) => element['type'] === 'button')
    .map((element) => ({
      actionId: String(element['action_id']),
      value: String(element['value'] ?? ''),
      on,
    }));
}

/** Who is there: an admin, two members, and somebody of another workspace. */
export function peopleOf(): { id: string; team: string; admin: boolean; guest: boolean }[] {
  return [
    { id: 'U0ADA', team: TEAM, admin: true, guest: false },
    { id: 'U0BEN', team: TEAM, admin: false, guest: false },
    { id: 'U0CLEO', team: TEAM, admin: false, guest: false },
    { id: 'U0DAN', team: PARTNER_TEAM, admin: false, guest: false },
  ];
}
