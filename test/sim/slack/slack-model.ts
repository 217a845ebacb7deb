import { systemClock } from '../../../src/base/index.ts';
import type { Chance } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { DeliveryFaults } from '../plan/faults.ts';
import type { AppInstance } from '../world/machine.ts';
import { type Answered, deliver, type Outgoing } from './deliver.ts';
import { createResponseUrls, issueTrigger, type ResponseUrls } from './interactions.ts';
import type { Asking } from './state.ts';
import {
  BOT,
  createSlackState,
  homeOf,
  isDirect,
  type Json,
  messageJson,
  newMessage,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  type SlackState,
  type SlackUser,
  TEAM,
} from './state.ts';

/** Slack delivers an unacknowledged event again: at once, after a minute, and after five. */
const RETRY_MS = [10, 60_000, 300_000];

interface SlackModelOptions {
  users: SlackUser[];
  channels: number;
  chance: Chance;
  faults: DeliveryFaults;
  /** The instance that takes requests now; null: none does. */
  target(): AppInstance | null;
  /**
   * Whether the app has been up before; what already existed at its first start is not its
   * business.
   */
  everUp(): boolean;
  /** The app acknowledged an event. */
  onTaken(event: Json): void;
  /**
   * The app did not acknowledge a command, a press or a form in time, although nothing kept it from
   * that.
   */
  onUnacknowledged(title: string): void;
  trace(text: string): void;
}

/** One workspace of Slack, as the app and its people see it. */
export interface SlackModel {
  state: SlackState;
  responseUrls: ResponseUrls;
  /** Returns a message as the app sees it. */
  show(channel: SlackChannel, message: SlackMessage): Json;
  /** Sends a channel's event to the app, if its bot is a member. */
  tell(channel: SlackChannel, event: Json): void;
  /**
   * Deletes a file that a message of this channel showed; the app gets events for the messages that
   * still show it.
   */
  deleteFile(file: SlackFile, shownIn: SlackChannel | null): void;
  /** Deletes a message; one with replies stays as a tombstone. */
  deleteMessage(channel: SlackChannel, message: SlackMessage): void;
  command(asked: Asking & { acknowledged: boolean }, payload: Json): Promise<Answered>;
  /** Sends a press, a choice, a shortcut or a form; one from a view has no response URL. */
  interact(asked: Asking & { acknowledged: boolean }, payload: Json): Promise<Answered>;
  /** Opens a person's App Home. */
  openHome(asked: Asking & { acknowledged: boolean }): Promise<void>;
  /** Returns why nothing that is shared in a channel now reaches the app; null: it does. */
  deaf(channel: string): string | null;
  /**
   * Removes the bot from a channel, or adds it; `inviter`: the member of the channel who does so.
   */
  setMember(channel: SlackChannel, isMember: boolean, inviter?: string | null): void;
  /** Returns how many events are on their way or wait for redelivery. */
  underWay(): number;
}

/**
 * The result of one delivery. `isOwed`: the app had to respond, as Slack lost nothing and the app
 * was well.
 */
interface Attempt {
  answered: Answered;
  isOwed: boolean;
}

export function createSlackModel(options: SlackModelOptions): SlackModel {
  const { chance, trace } = options;
  const state = createSlackState();
  const responseUrls = createResponseUrls(state);
  for (const user of options.users) state.users.set(user.id, user);
  for (let n = 0; n < options.channels; n += 1) addChannel(state, n);
  let events = 0;
  let underWay = 0;

  async function attempt(
    message: Outgoing,
    title: string,
    onSent: () => void = () => undefined,
  ): Promise<Attempt> {
    const fault = options.faults();
    if (fault?.kind === 'lost') {
      trace(`Slack → app ${title}: lost`);
      return { answered: null, isOwed: false };
    }
    if (fault?.kind === 'delayed') await systemClock.sleep(fault.ms);
    if (fault?.kind === 'repeated') void later(fault.afterMs, message, title);
    await systemClock.sleep(chance.whole(3, 40));
    onSent();
    const target = options.target();
    const isUnhindered = target?.unhindered();
    const answered = await deliver(target, message, systemClock.sleep);
    const whom = target?.process.name ?? 'nobody';
    trace(`Slack → ${whom} ${title}: ${answered ? answered.status : 'no answer'}`);
    if (fault?.kind === 'answer-lost') return { answered: null, isOwed: false };
    return { answered, isOwed: isUnhindered?.() === true };
  }

  async function later(ms: number, message: Outgoing, title: string): Promise<void> {
    underWay += 1;
    await systemClock.sleep(ms);
    await deliver(options.target(), message, systemClock.sleep);
    trace(`Slack → app ${title}: once more`);
    underWay -= 1;
  }

  // Resolves with whether the app acknowledged it.
  async function sendEvent(payload: Json, title: string): Promise<boolean> {
    underWay += 1;
    let isTaken = false;
    for (let retry = 0; retry <= RETRY_MS.length; retry += 1) {
      const { answered } = await attempt({ kind: 'event', payload, retry }, title);
      if (answered && answered.status < 300) {
        options.onTaken(payload['event'] as Json);
        isTaken = true;
        break;
      }
      await systemClock.sleep(RETRY_MS[retry] ?? 0);
    }
    underWay -= 1;
    return isTaken;
  }

  async function ask(asked: Asking & { acknowledged: boolean }, message: Outgoing, title: string) {
    // A delay by Slack itself is not the app's fault.
    const { answered, isOwed } = await attempt(message, title, () => {
      asked.askedAt = virtualNow();
    });
    asked.acknowledged = answered !== null && answered.status < 300;
    if (isOwed && !asked.acknowledged) options.onUnacknowledged(title);
    return answered;
  }

  function tell(channel: SlackChannel, event: Json): void {
    if (!channel.members.has(BOT.user)) return;
    events += 1;
    const payload = envelope(inChannel(channel, event), events);
    const what = event['subtype'] ?? event['type'];
    void sendEvent(payload, `event ${events} ${what} in ${channel.id}`);
  }

  // An edit or a deletion nests the message.
  function deliverHidden(channel: SlackChannel, event: Json): void {
    tell(channel, { type: 'message', hidden: true, ...event, ts: state.nextTs() });
  }

  function deleteFile(file: SlackFile, shownIn: SlackChannel | null): void {
    file.deleted = true;
    const showing = [...state.channels.values()].flatMap((channel) =>
      channel.messages
        .filter(({ files }) => files.includes(file))
        .map((message) => ({ channel, message })),
    );
    const seenIn = [...showing.map(({ channel }) => channel), ...(shownIn ? [shownIn] : [])];
    if (!seenIn.some(({ members }) => members.has(BOT.user))) return;
    events += 1;
    const event = { type: 'file_deleted', file_id: file.id, event_ts: state.nextTs() };
    void sendEvent(envelope(event, events), `event ${events} file_deleted ${file.id}`);
    for (const { channel, message } of showing)
      deliverHidden(channel, {
        subtype: 'message_changed',
        message: messageJson(channel, message),
      });
  }

  function deleteMessage(channel: SlackChannel, message: SlackMessage): void {
    const previous_message = messageJson(channel, message);
    const at = channel.messages.indexOf(message);
    const hasReplies = channel.messages.some(({ threadTs }) => threadTs === message.ts);
    const tombstone = newMessage(message.ts, { user: 'USLACKBOT', subtype: 'tombstone' });
    channel.messages.splice(at, 1, ...(hasReplies ? [tombstone] : []));
    const said = hasReplies
      ? { subtype: 'message_changed', message: messageJson(channel, tombstone) }
      : { subtype: 'message_deleted', deleted_ts: message.ts };
    deliverHidden(channel, { ...said, previous_message });
  }

  const common = (asked: Asking) => ({
    token: 'deprecated',
    api_app_id: BOT.app,
    trigger_id: issueTrigger(state, asked),
  });
  const response = (asked: Asking) => ({ response_url: responseUrls.issue(asked) });

  return {
    state,
    responseUrls,
    show: messageJson,
    tell,
    deleteFile,
    deleteMessage,
    command: (asked, payload) =>
      ask(
        asked,
        { kind: 'command', payload: { ...payload, ...common(asked), ...response(asked) } },
        `${payload['command']} ${payload['text']} by ${payload['user_id']} in ${asked.channel}`,
      ),
    interact: (asked, payload) =>
      ask(
        asked,
        {
          kind: 'interactive',
          payload: { ...payload, ...common(asked), ...(payload['view'] ? {} : response(asked)) },
        },
        `${payload['type']} ${whatIs(payload)} by ${asked.user}`,
      ),
    openHome: async (asked) => {
      state.askedAtHome.push(asked);
      const { user } = asked;
      events += 1;
      const tab = { type: 'app_home_opened', tab: 'home', user, channel: homeOf(user) };
      const event = { ...tab, event_ts: state.nextTs() };
      asked.acknowledged = await sendEvent(
        envelope(event, events),
        `event ${events} home of ${user}`,
      );
      // The app knows of nothing before that.
      asked.askedAt = virtualNow();
    },
    deaf: (id) => {
      const channel = state.channels.get(id);
      if (!options.everUp()) return 'the app has never been up';
      if (!channel?.members.has(BOT.user)) return 'the bot is not in the channel';
      return channel.archived ? 'the channel is archived' : null;
    },
    setMember: (channel, isMember, inviter = null) => {
      if (isMember) channel.members.add(BOT.user);
      else channel.members.delete(BOT.user);
      const subtype = isMember ? 'channel_join' : 'channel_leave';
      const text = `<@${BOT.user}> has ${isMember ? 'joined' : 'left'} the channel`;
      channel.messages.push(newMessage(state.nextTs(), { user: BOT.user, subtype, text }));
      trace(`the bot ${isMember ? 'joins' : 'leaves'} ${channel.id}`);
      if (!isMember) return;
      const joined = { type: 'member_joined_channel', user: BOT.user, channel: channel.id };
      const event = inviter === null ? joined : { ...joined, inviter };
      events += 1;
      void sendEvent(envelope(inChannel(channel, event), events), `event ${events} join`);
    },
    underWay: () => underWay,
  };
}

function addChannel(state: SlackState, n: number): void {
  const id = `C0000000${n + 1}`;
  const name = `channel-${n + 1}`;
  const full = [...state.users.values()].filter(({ guest }) => !guest);
  const members = new Set([...full.map((user) => user.id), BOT.user]);
  state.channels.set(id, { id, name, members, archived: false, messages: [] });
}

// The part that the app tells requests apart by.
function whatIs(payload: Json): string {
  const [action] = (payload['actions'] ?? []) as Json[];
  const { callback_id: view } = (payload['view'] ?? {}) as Json;
  return String(action?.['action_id'] ?? payload['action_id'] ?? payload['callback_id'] ?? view);
}

function inChannel(channel: SlackChannel, event: Json): Json {
  const at = Math.floor(virtualNow() / 1000);
  const event_ts = event['ts'] ?? `${at}.000000`;
  const channel_type = isDirect(channel) ? 'im' : 'channel';
  return { channel: channel.id, channel_type, event_ts, ...event };
}

function envelope(event: Json, count: number): Json {
  const at = Math.floor(virtualNow() / 1000);
  return {
    token: 'deprecated',
    team_id: TEAM,
    api_app_id: BOT.app,
    type: 'event_callback',
    event_id: `Ev${String(count).padStart(8, '0')}`,
    event_time: at,
    authorizations: [{ team_id: TEAM, user_id: BOT.user, is_bot: true }],
    event,
  };
}
