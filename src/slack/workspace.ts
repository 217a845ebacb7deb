import type { webApi } from '@slack/bolt';
import type { SharedFile } from '../transfers/index.ts';
import { callAtStart, callSlack } from './call-slack.ts';
import { type HistoryPage, readHistory } from './history.ts';
import * as messages from './messages.ts';
import { type Download, type GetFile, openDownload } from './open-download.ts';
import { findActor } from './people.ts';
import { readSlack, type Turn } from './read-slack.ts';
import { SlackCallError, SlackFileError } from './slack-error.ts';
import { readSlackFile } from './slack-file.ts';

const TYPES = 'public_channel,private_channel,mpim,im';

/** Which part of a channel's history is read: see HistoryOptions. */
export interface HistoryRange {
  oldest: string;
  latest?: string | undefined;
  readTo?: string | undefined;
  threadsSince: string;
  /** Awaited before each call; what it rejects with ends the reading. */
  beforeCall?: () => Promise<void>;
  /** Ends the reading before its next call, also while that waits for its turn. */
  signal?: AbortSignal;
}

/** A channel that the bot is in. */
export interface ChannelOfBot {
  id: string;
  /** Whether it is a direct message, to one person or a group: it begins with the bot in it. */
  direct: boolean;
}

export interface WorkspaceOptions {
  client: webApi.WebClient;
  token: string;
  slackApiUrl: string;
  /** What carries downloads; default: the machine's network. */
  getFile?: GetFile | undefined;
  /**
   * Awaited before each read of history: for the turn of the call, and for as long as Slack asks, in
   * milliseconds. Rejects when the signal aborts.
   */
  pace: (options?: {
    atLeastMs?: number | undefined;
    signal?: AbortSignal | undefined;
  }) => Promise<void>;
}

/** The bot itself, as Slack's auth.test and bots.info tell. */
export interface Identity {
  team: string;
  botUserId: string;
  botId: string | undefined;
  /** The app's own identifier; undefined when Slack does not tell it. */
  appId?: string | undefined;
}

/** Everything that Pigeonhole asks of one workspace in Slack, with the bot's token. */
export async function openWorkspace(options: WorkspaceOptions) {
  const { client, token, slackApiUrl, getFile: get } = options;
  const identity = await identify(client);
  return {
    identity,
    /** Opens a file's bytes; rejects with SlackFileError. */
    download: (file: SharedFile, signal: AbortSignal): Promise<Download> =>
      openDownload(file, { token, slackApiUrl, signal, get }),
    /** What Slack knows of a file now; rejects with SlackFileError. */
    fileInfo: (file: SharedFile) => fileInfo(client, file),
    post: bind(client, messages.postMessage),
    find: bind(client, messages.findMessage),
    update: bind(client, messages.updateMessage),
    postEphemeral: bind(client, messages.postEphemeral),
    announce: bind(client, messages.announce),
    notify: bind(client, messages.notify),
    react: bind(client, messages.setReaction),
    unreact: bind(client, messages.removeReaction),
    actor: (userId: string, userTeam: string | null) =>
      findActor(client, userId, { ownTeam: identity.team, userTeam }),
    /** A channel's shares after `oldest`, newest page first: see readHistory. */
    history: (
      channel: string,
      { signal, beforeCall, ...range }: HistoryRange,
    ): AsyncGenerator<HistoryPage> => {
      const turn = async (atLeastMs?: number) => {
        signal?.throwIfAborted();
        await beforeCall?.();
        await options.pace({ atLeastMs, signal });
      };
      return readHistory(client, { ...range, turn, context: { ...identity, channel } });
    },
    /** The channels and direct messages that the bot is in. */
    channels: () => listChannels(client, (atLeastMs) => options.pace({ atLeastMs })),
    /** Resolves when Slack answers. */
    check: async () => {
      await callSlack('auth.test', () => client.auth.test());
    },
  };
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

function bind<A extends unknown[], R>(
  client: webApi.WebClient,
  call: (client: webApi.WebClient, ...rest: A) => Promise<R>,
): (...rest: A) => Promise<R> {
  return (...rest) => call(client, ...rest);
}

async function identify(client: webApi.WebClient): Promise<Identity> {
  const answer = await callAtStart('SLACK_BOT_TOKEN', () => client.auth.test());
  if (!answer.team_id || !answer.user_id)
    throw new SlackCallError('SLACK_UNREACHABLE', 'auth.test named no workspace', {});
  const { team_id: team, user_id: botUserId, bot_id: botId } = answer;
  const appId = answer.app_id ?? (botId ? await findApp(client, botId) : undefined);
  return { team, botUserId, botId, appId };
}

// Nothing but a second check rests on it: a start goes on without.
async function findApp(client: webApi.WebClient, bot: string): Promise<string | undefined> {
  const info = callSlack('bots.info', () => client.bots.info({ bot }));
  const answer = await info.catch(() => undefined);
  return answer?.bot?.app_id;
}

async function fileInfo(client: webApi.WebClient, file: SharedFile): Promise<SharedFile> {
  try {
    const answer = await callSlack('files.info', () => client.files.info({ file: file.id }));
    const found = readSlackFile(answer.file);
    if (found) return found;
  } catch (error) {
    throw toFileError(file, error);
  }
  throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id}: unreadable`, { retry: 'later' });
}

function toFileError(file: SharedFile, error: unknown): unknown {
  if (!(error instanceof SlackCallError)) return error;
  const message = `${file.id}: files.info: ${error.reason || error.message}`;
  if (error.reason === 'file_deleted')
    return new SlackFileError('SLACK_FILE_DELETED', message, { retry: 'never' });
  if (error.reason === 'file_not_found')
    return new SlackFileError('SLACK_FILE_NOT_FOUND', message, { retry: 'later' });
  if (error.reason === 'missing_scope' || error.reason === 'access_denied')
    return new SlackFileError('SLACK_FILE_DENIED', message, { retry: 'never' });
  const { retryAfterMs } = error;
  return new SlackFileError('SLACK_FILE_UNAVAILABLE', message, { retry: 'later', retryAfterMs });
}

async function listChannels(client: webApi.WebClient, turn: Turn): Promise<ChannelOfBot[]> {
  const found: ChannelOfBot[] = [];
  let cursor: string | undefined;
  do {
    const query = { types: TYPES, exclude_archived: true, limit: 200 };
    const read = () => client.users.conversations({ ...query, ...(cursor ? { cursor } : {}) });
    const page = await readSlack('users.conversations', read, turn);
    for (const { id, is_im, is_mpim } of page.channels ?? [])
      if (id) found.push({ id, direct: is_im === true || is_mpim === true });
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor);
  return found;
}
