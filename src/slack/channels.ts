import type { webApi } from '@slack/bolt';
import { type Clock, createSingleFlight } from '../base/index.ts';
import { type At, type Pace, type Pacing, pagesOf } from './paced-reads.ts';
import { callSlack, unlessRefused } from './web-api.ts';

/** Kinds of conversations, each with the scope without which Slack refuses a list with it. */
const TYPES = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
  im: 'im:read',
};

export interface ChannelsOptions {
  /** The scopes granted to the bot's token; undefined if Slack does not say. */
  scopes: readonly string[] | undefined;
  /** Awaited before each read of history; includes the waits that Slack asks for. */
  pace: Pace;
  clock: Clock;
  /** How long Slack's answer about a person is reused, in milliseconds. */
  personEveryMs: number;
}

/**
 * The app's calls on channels and other conversations. The lists, and isPrivate, reject with
 * SlackCallError.
 */
export function createChannels(
  client: webApi.WebClient,
  { scopes, pace, clock, personEveryMs: keepMs }: ChannelsOptions,
) {
  const lists = createSingleFlight<string[]>({ clock, keepMs });
  const kinds = Object.entries(TYPES).filter(([, scope]) => scopes?.includes(scope) ?? true);
  const types = kinds.map(([kind]) => kind).join(',');

  async function list(which: { user?: string; limit: number }, pacing?: Pacing): Promise<string[]> {
    const query = { exclude_archived: true, types, ...which };
    const readPage = (at: At) => client.users.conversations({ ...query, ...at });
    const found: string[] = [];
    for await (const { channels = [] } of pagesOf('users.conversations', readPage, pacing))
      found.push(...channels.flatMap(({ id }) => id || []));
    return found;
  }

  /** Returns what Slack knows of a channel; null for a private conversation without the bot. */
  async function find(channel: string) {
    const info = callSlack('conversations.info', () => client.conversations.info({ channel }));
    const answer = await unlessRefused(info, 'channel_not_found');
    return answer && (answer.channel ?? {});
  }

  return {
    /** Whether both lists of channels have all kinds: they lack those whose scope is missing. */
    listsAll: kinds.length === Object.keys(TYPES).length,
    /** Returns the identifiers of the channels and direct messages that the bot is in. */
    channels: () => list({ limit: 200 }, { pace }),
    /** Returns the channels and direct messages that both a person and the bot are in; not paced. */
    // Only the largest lists have more than one page.
    channelsOf: (user: string) => lists(user, () => list({ user, limit: 999 })),
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
    /** Whether the bot is in an unarchived private channel, so that Slack lists its members. */
    isPrivate: async (channel: string): Promise<boolean> => {
      const { is_private, is_archived, is_im, is_mpim } = (await find(channel)) ?? {};
      return is_private === true && !is_archived && !is_im && !is_mpim;
    },
  };
}
