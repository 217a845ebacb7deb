import type { types, webApi } from '@slack/bolt';
import { type Clock, createSingleFlight } from '../base/index.ts';
import type { Actor, Role, SharedFile } from '../core/index.ts';
import { createBookmarks } from './bookmarks.ts';
import { createDownload, type DownloadOptions } from './download.ts';
import { type HistoryRange, type MessageRange, readHistory, readThread } from './history.ts';
import { createMessages, type MessagePlace } from './messages.ts';
import { attachmentsOf, fileInfo, type Identity } from './objects.ts';
import { type Paces, type Pacing, pagesOf } from './paced-reads.ts';
import {
  isRefused,
  SlackCallError,
  SlackClient,
  startProblem,
  unlessRefused,
  unreadable,
  type WebClientOptions,
  webClientOptions,
} from './web-api.ts';

interface WorkspaceOptions extends WebClientOptions, DownloadOptions {
  /** Awaited before each read of history; include the waits that Slack asks for. */
  paces: Paces;
  clock: Clock;
  /** How long Slack's answer about a person or a channel is reused, in milliseconds. */
  keepPersonMs: number;
}

/** An open modal; `hash` changes with its content. */
export interface OpenModal {
  id: string;
  hash?: string | undefined;
}

/** All calls to one workspace in Slack, with the bot's token. */
export async function openWorkspace(options: WorkspaceOptions) {
  const { paces, clock, keepPersonMs: keepMs } = options;
  const actors = createSingleFlight<Actor>({ clock, keepMs });
  const client = new SlackClient(options.botToken, webClientOptions(options));
  const identity = await identify(client);
  const reading = (channel: string) => ({ context: { ...identity, channel }, paces });
  return {
    identity,
    /** Opens a stream of a file's bytes; rejects with SlackFileError. */
    download: createDownload(options),
    /** Returns what Slack knows of a file now; rejects with SlackFileError. */
    fileInfo: (file: SharedFile) => fileInfo(client, file),
    /** Returns the attachments that Slack lists of an email now; rejects with SlackFileError. */
    attachmentsOf: (email: SharedFile) => attachmentsOf(client, email),
    ...createMessages(client, identity),
    ...createChannels(client, identity, options),
    ...createBookmarks(client, identity),
    /**
     * Returns a message's address, as chat.getPermalink does, but without a call; null if Slack did
     * not give the workspace's (https://docs.slack.dev/reference/methods/chat.getPermalink).
     */
    addressOf: ({ channel, ts, threadTs }: MessagePlace & { threadTs: string | null }) => {
      if (identity.url === undefined) return null;
      const isReply = threadTs !== null && threadTs !== ts;
      const url = new URL(`/archives/${channel}/p${ts.replace('.', '')}`, identity.url);
      if (isReply) url.search = `${new URLSearchParams({ thread_ts: threadTs, cid: channel })}`;
      return url.href;
    },
    /**
     * Opens a modal with the trigger of a command or a press, which works once and within 3 s
     * (https://docs.slack.dev/reference/methods/views.open).
     */
    openModal: async (triggerId: string, view: types.ModalView): Promise<OpenModal> => {
      const { view: opened } = await client.views.open({ trigger_id: triggerId, view });
      return { id: opened?.id ?? '', hash: opened?.hash };
    },
    /**
     * Updates a modal: refused with `not_found` if it was closed, and with `hash_conflict` if it has
     * changed since.
     */
    updateModal: async ({ id, hash }: OpenModal, view: types.ModalView): Promise<void> => {
      await client.views.update({ view_id: id, ...(hash === undefined ? {} : { hash }), view });
    },
    /** Returns who a person is: see findActor. */
    actor: (userId: string, userTeam: string | null) =>
      actors(`${userId} ${userTeam}`, () =>
        findActor(client, userId, { ownTeam: identity.team, userTeam }),
      ),
    /** Yields a channel's shares after `oldest`, newest page first: see readHistory. */
    history: (channel: string, range: HistoryRange) =>
      readHistory(client, { ...range, ...reading(channel) }),
    /** Returns the shares in one thread of a channel: see readThread. */
    thread: ({ channel, ts }: MessagePlace, range: MessageRange) =>
      readThread(client, ts, { ...range, ...reading(channel) }),
    /** Replaces the content of a person's App Home. */
    publishHome: async (userId: string, blocks: types.KnownBlock[]): Promise<void> => {
      await client.views.publish({ user_id: userId, view: { type: 'home', blocks } });
    },
    /** Resolves if Slack responds. */
    check: async () => {
      await client.auth.test();
    },
  };
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

async function identify(client: SlackClient): Promise<Identity> {
  const answer = await client.auth.test().catch((error: unknown) => {
    throw startProblem('SLACK_BOT_TOKEN', error);
  });
  if (!answer.team_id || !answer.user_id)
    throw startProblem('SLACK_BOT_TOKEN', unreadable('auth.test'));
  const { team_id: team, user_id: botUserId, bot_id: botId, url } = answer;
  const appId = answer.app_id ?? (botId ? await findApp(client, botId) : undefined);
  return { team, botUserId, botId, appId, url, scopes: answer.response_metadata?.scopes };
}

// Only a second check depends on it, so the start continues without.
async function findApp(client: SlackClient, bot: string): Promise<string | undefined> {
  const answer = await client.bots.info({ bot }).catch(() => undefined);
  return answer?.bot?.app_id;
}

type User = NonNullable<webApi.UsersInfoResponse['user']>;

/**
 * Asks Slack who a person is, at the moment it matters
 * (https://docs.slack.dev/reference/methods/users.info). Rejects with SlackCallError, also if the
 * response names nobody: an unknown person has no rights.
 */
export async function findActor(
  client: SlackClient,
  userId: string,
  { ownTeam, userTeam }: { ownTeam: string; userTeam: string | null },
): Promise<Actor> {
  const { user } = await client.users.info({ user: userId });
  if (!user) throw new SlackCallError('SLACK_REFUSED', 'users.info named nobody');
  const teams = [user.team_id, userTeam ?? ownTeam];
  // In an organization, `team_id` may name another of a member's workspaces, or be missing.
  const isMember = user.enterprise_user?.teams?.includes(ownTeam) ?? false;
  const isOwn = isMember || teams.every((one) => one === ownTeam);
  return { userId, role: roleOf(user, !user.is_stranger && isOwn) };
}

function roleOf(user: User, ownWorkspace: boolean): Role {
  if (user.deleted) return 'deactivated';
  if (user.is_bot || user.id === 'USLACKBOT') return 'bot';
  if (!ownWorkspace) return 'outsider';
  if (user.is_restricted || user.is_ultra_restricted) return 'guest';
  return user.is_admin || user.is_owner || user.is_primary_owner ? 'admin' : 'member';
}

/** Kinds of conversations, each with the scope without which Slack refuses a list with it. */
const TYPES = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
  im: 'im:read',
};

/**
 * The app's calls on channels and other conversations. The lists, isClosedTo and isOpenTo reject with
 * SlackCallError.
 */
function createChannels(
  client: SlackClient,
  { scopes }: Identity,
  { paces, clock, keepPersonMs: keepMs }: WorkspaceOptions,
) {
  const lists = createSingleFlight<string[]>({ clock, keepMs });
  const listings = createSingleFlight<boolean>({ clock, keepMs });
  const publicities = createSingleFlight<boolean>({ clock, keepMs });
  const kinds = Object.entries(TYPES).filter(([, scope]) => scopes?.includes(scope) ?? true);
  const types = kinds.map(([kind]) => kind).join(',');

  // Only the largest lists have more than one page.
  async function list(which: { user?: string }, pacing?: Pacing): Promise<string[]> {
    const query = { exclude_archived: true, types, ...which, limit: 999 };
    const pages = pagesOf((at) => client.users.conversations({ ...query, ...at }), pacing);
    const found: string[] = [];
    for await (const { channels = [] } of pages)
      found.push(...channels.flatMap(({ id }) => id || []));
    return found;
  }

  /** Returns what Slack knows of a channel; null for a private conversation without the bot. */
  async function find(channel: string) {
    const info = client.conversations.info({ channel });
    const answer = await unlessRefused(info, 'channel_not_found');
    return answer && (answer.channel ?? {});
  }

  const channelsOf = (user: string) => lists(user, () => list({ user }));

  // Of others, such as archived ones, Slack does not list who is in them.
  async function listsMembers(channel: string): Promise<boolean> {
    const { is_private, is_member, is_archived, is_im, is_mpim } = (await find(channel)) ?? {};
    return (is_private === true || is_member === true) && !is_archived && !is_im && !is_mpim;
  }

  // Of a private channel, a bot with groups:read gets an answer: it lacks the scope of a public one.
  const lacksPublic = scopes?.includes('groups:read') && !scopes.includes('channels:read');

  async function isPublic(channel: string): Promise<boolean> {
    const found = await find(channel).catch((error: unknown) => {
      if (lacksPublic && isRefused(error, 'missing_scope')) return { is_private: false };
      throw error;
    });
    return found?.is_private === false;
  }

  async function isOpenTo(user: string, channel: string): Promise<boolean> {
    const isListed = async () => (await channelsOf(user)).includes(channel);
    try {
      if (await publicities(channel, () => isPublic(channel))) return true;
    } catch (error) {
      if (await isListed()) return true;
      throw error;
    }
    return isListed();
  }

  return {
    /** Whether both lists of channels have all kinds: they lack those whose scope is missing. */
    listsAll: kinds.length === Object.keys(TYPES).length,
    /** Returns the identifiers of the channels and direct messages that the bot is in. */
    channels: (signal: AbortSignal) => list({}, { pace: paces.channels, signal }),
    /** Returns the channels and direct messages that both a person and the bot are in; not paced. */
    channelsOf,
    /** Returns a channel's name; null for a direct message, or if Slack does not tell it. */
    channelName: async (channel: string): Promise<string | null> => {
      const found = await find(channel).catch(() => null);
      return found?.is_im || found?.is_mpim ? null : (found?.name ?? null);
    },
    /** Whether the bot is in a conversation that is not archived; true if Slack does not say. */
    isIn: async (channel: string): Promise<boolean> => {
      const found = await find(channel).catch(() => undefined);
      if (found === null) return false;
      const { is_im, is_member, is_archived } = found ?? {};
      return is_im === true || (is_member !== false && is_archived !== true);
    },
    /**
     * Whether a conversation is a private channel that a person is not in. False also if the bot is
     * not in it, or if it is archived: Slack does not say then who is in it. If Slack does not tell
     * what a channel is, it is open to people who are listed in it. To a guest, a public channel is as
     * closed.
     */
    isClosedTo: async ({ userId, role }: Actor, channel: string): Promise<boolean> => {
      const isOpen =
        role === 'guest'
          ? (await channelsOf(userId)).includes(channel)
          : await isOpenTo(userId, channel);
      return !isOpen && (await listings(channel, () => listsMembers(channel)));
    },
    /** Whether a conversation is a public channel, or one that both a person and the bot are in. */
    isOpenTo,
  };
}
