import { systemClock } from '../../../src/base/index.ts';
import type { Rng } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { DeliveryFaults } from '../plan/faults.ts';
import type { AppInstance } from '../world/machine.ts';
import { createResponseUrls, issueTrigger } from './interactions.ts';
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
  type UserRequest,
} from './state.ts';
import { type AppResponse, deliver, type SlackRequest } from './transport.ts';

/** Slack delivers an unacknowledged event again: at once, after a minute, and after five. */
const RETRY_MS = [10, 60_000, 300_000];

interface SlackModelOptions {
  users: SlackUser[];
  channels: number;
  rng: Rng;
  faults: DeliveryFaults;
  /** The instance that takes requests now; null: none does. */
  target(): AppInstance | null;
  /** Whether the app has been up before; what existed at its first start is not its business. */
  everUp(): boolean;
  onAcknowledged(event: Json): void;
  /** The app did not acknowledge a user's request in time, although nothing kept it from that. */
  onUnacknowledged(title: string): void;
  trace(text: string): void;
}

/** One workspace of Slack, as the app and its users see it. */
export type SlackModel = ReturnType<typeof createSlackModel>;

export function createSlackModel(options: SlackModelOptions) {
  const { rng, trace } = options;
  const state = createSlackState();
  const responseUrls = createResponseUrls(state);
  for (const user of options.users) state.users.set(user.id, user);
  for (let n = 0; n < options.channels; n += 1) addChannel(state, n);
  let events = 0;
  let pendingDeliveries = 0;

  // `mustRespond`: Slack lost nothing, and the app was well.
  async function attempt(
    message: SlackRequest,
    title: string,
    onSent: () => void = () => undefined,
  ): Promise<{ response: AppResponse; mustRespond: boolean }> {
    const fault = options.faults();
    if (fault?.kind === 'lost') {
      trace(`Slack → app ${title}: lost`);
      return { response: null, mustRespond: false };
    }
    if (fault?.kind === 'delayed') await systemClock.sleep(fault.ms);
    await systemClock.sleep(rng.int(3, 40));
    onSent();
    // What comes first is answered; a copy that came before would be taken for it.
    if (fault?.kind === 'repeated') void repeatAfter(fault.afterMs, message, title);
    const target = options.target();
    const isStillHealthy = target?.watchHealth();
    const response = await deliver(target, message, systemClock.sleep);
    const whom = target?.process.name ?? 'nobody';
    trace(`Slack → ${whom} ${title}: ${response ? response.status : 'no answer'}`);
    if (fault?.kind === 'response-lost') return { response: null, mustRespond: false };
    return { response, mustRespond: isStillHealthy?.() === true };
  }

  async function repeatAfter(ms: number, message: SlackRequest, title: string): Promise<void> {
    pendingDeliveries += 1;
    await systemClock.sleep(ms);
    await deliver(options.target(), message, systemClock.sleep);
    trace(`Slack → app ${title}: once more`);
    pendingDeliveries -= 1;
  }

  // Resolves with whether the app acknowledged it.
  async function sendEvent(event: Json, name: string): Promise<boolean> {
    events += 1;
    const payload = envelope(event, events);
    const title = `event ${events} ${name}`;
    pendingDeliveries += 1;
    let isAcknowledged = false;
    for (let retry = 0; retry <= RETRY_MS.length; retry += 1) {
      const { response } = await attempt({ kind: 'event', payload, retry }, title);
      if (response && response.status < 300) {
        options.onAcknowledged(event);
        isAcknowledged = true;
        break;
      }
      await systemClock.sleep(RETRY_MS[retry] ?? 0);
    }
    pendingDeliveries -= 1;
    return isAcknowledged;
  }

  async function send(request: UserRequest, message: SlackRequest, title: string) {
    // A delay by Slack itself is not the app's fault.
    const { response, mustRespond } = await attempt(message, title, () => {
      request.sentAt = virtualNow();
    });
    request.acknowledged = response !== null && response.status < 300;
    if (mustRespond && !request.acknowledged) options.onUnacknowledged(title);
    return response;
  }

  /** Sends a channel's event to the app, if its bot is a member. */
  function sendChannelEvent(channel: SlackChannel, event: Json): void {
    if (!channel.members.has(BOT.user)) return;
    const name = `${event['subtype'] ?? event['type']} in ${channel.id}`;
    void sendEvent(inChannel(channel, event), name);
  }

  // An edit or a deletion nests the message.
  function sendHidden(channel: SlackChannel, event: Json): void {
    sendChannelEvent(channel, { type: 'message', hidden: true, ...event, ts: state.nextTs() });
  }

  const common = (request: UserRequest) => ({
    token: 'deprecated',
    api_app_id: BOT.app,
    trigger_id: issueTrigger(state, request),
  });
  const responseUrl = (request: UserRequest) => ({ response_url: responseUrls.issue(request) });

  return {
    state,
    responseUrls,
    sendChannelEvent,
    /** Deletes a file; the app gets events for the messages that show it, or `shownIn` once did. */
    deleteFile: (file: SlackFile, shownIn: SlackChannel | null): void => {
      file.deleted = true;
      const showing = [...state.channels.values()].flatMap((channel) =>
        channel.messages
          .filter(({ files }) => files.includes(file))
          .map((message) => ({ channel, message })),
      );
      const seenIn = [...showing.map(({ channel }) => channel), ...(shownIn ? [shownIn] : [])];
      if (!seenIn.some(({ members }) => members.has(BOT.user))) return;
      const event = { type: 'file_deleted', file_id: file.id, event_ts: state.nextTs() };
      void sendEvent(event, `file_deleted ${file.id}`);
      for (const { channel, message } of showing) {
        const edited = { subtype: 'message_changed', message: messageJson(channel, message) };
        sendHidden(channel, edited);
      }
    },
    /** Deletes a message; one with replies stays as a tombstone. */
    deleteMessage: (channel: SlackChannel, message: SlackMessage): void => {
      const previous_message = messageJson(channel, message);
      const at = channel.messages.indexOf(message);
      const hasReplies = channel.messages.some(({ threadTs }) => threadTs === message.ts);
      const tombstone = newMessage(message.ts, { user: 'USLACKBOT', subtype: 'tombstone' });
      channel.messages.splice(at, 1, ...(hasReplies ? [tombstone] : []));
      const change = hasReplies
        ? { subtype: 'message_changed', message: messageJson(channel, tombstone) }
        : { subtype: 'message_deleted', deleted_ts: message.ts };
      sendHidden(channel, { ...change, previous_message });
    },
    command: (request: UserRequest, payload: Json): Promise<AppResponse> => {
      const all = { ...payload, ...common(request), ...responseUrl(request) };
      const typed = `${payload['command']} ${payload['text']}`;
      const title = `${typed} by ${request.user} in ${request.channel}`;
      return send(request, { kind: 'command', payload: all }, title);
    },
    /** Sends a press, a choice, a shortcut or a form; one from a view has no response URL. */
    interact: (request: UserRequest, payload: Json): Promise<AppResponse> => {
      const isInView = Boolean(payload['view']);
      const all = { ...payload, ...common(request), ...(isInView ? {} : responseUrl(request)) };
      const title = `${payload['type']} ${idOf(payload)} by ${request.user}`;
      return send(request, { kind: 'interactive', payload: all }, title);
    },
    openHome: async (request: UserRequest): Promise<void> => {
      state.homeRequests.push(request);
      const { user } = request;
      const tab = { type: 'app_home_opened', tab: 'home', user, channel: homeOf(user) };
      const event = { ...tab, event_ts: state.nextTs() };
      request.acknowledged = await sendEvent(event, `home of ${user}`);
      // The app knows of nothing before that.
      request.sentAt = virtualNow();
    },
    /** Returns why nothing that is shared in a channel now reaches the app; null: it does. */
    unreachableReason: (id: string): string | null => {
      const channel = state.channels.get(id);
      if (!options.everUp()) return 'the app has never been up';
      if (!channel?.members.has(BOT.user)) return 'the bot is not in the channel';
      return channel.archived ? 'the channel is archived' : null;
    },
    /** Removes the bot from a channel, or has `inviter` add it. */
    setBotMember: (channel: SlackChannel, isIn: boolean, inviter: string | null = null): void => {
      if (isIn) channel.members.add(BOT.user);
      else channel.members.delete(BOT.user);
      const subtype = isIn ? 'channel_join' : 'channel_leave';
      const text = `<@${BOT.user}> has ${isIn ? 'joined' : 'left'} the channel`;
      channel.messages.push(newMessage(state.nextTs(), { user: BOT.user, subtype, text }));
      trace(`the bot ${isIn ? 'joins' : 'leaves'} ${channel.id}`);
      if (!isIn) return;
      const joined = { type: 'member_joined_channel', user: BOT.user, channel: channel.id };
      const event = inviter === null ? joined : { ...joined, inviter };
      void sendEvent(inChannel(channel, event), 'join');
    },
    /** Returns how many events are on their way or wait for redelivery. */
    pendingDeliveries: () => pendingDeliveries,
  };
}

function addChannel(state: SlackState, n: number): void {
  const id = `C0000000${n + 1}`;
  const full = [...state.users.values()].filter(({ guest }) => !guest);
  const members = new Set([...full.map((user) => user.id), BOT.user]);
  const given = { id, name: `channel-${n + 1}`, members, bookmarks: new Map() };
  state.channels.set(id, { ...given, archived: false, messages: [] });
}

// The part that the app tells requests apart by.
function idOf(payload: Json): string {
  const [action] = (payload['actions'] ?? []) as Json[];
  const { callback_id: view } = (payload['view'] ?? {}) as Json;
  return String(action?.['action_id'] ?? payload['action_id'] ?? payload['callback_id'] ?? view);
}

function inChannel(channel: SlackChannel, event: Json): Json {
  const event_ts = event['ts'] ?? `${Math.floor(virtualNow() / 1000)}.000000`;
  const channel_type = isDirect(channel) ? 'im' : 'channel';
  return { channel: channel.id, channel_type, event_ts, ...event };
}

function envelope(event: Json, count: number): Json {
  return {
    token: 'deprecated',
    team_id: TEAM,
    api_app_id: BOT.app,
    type: 'event_callback',
    event_id: `Ev${String(count).padStart(8, '0')}`,
    event_time: Math.floor(virtualNow() / 1000),
    authorizations: [{ team_id: TEAM, user_id: BOT.user, is_bot: true }],
    event,
  };
}
