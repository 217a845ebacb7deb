import type { types } from '@slack/bolt';
import type { Clock } from '../base/index.ts';
import { type Identity, isOwn } from './objects.ts';
import { pagesOf } from './paced-reads.ts';
import {
  isRefused,
  mayBeRepeated,
  SlackCallError,
  type SlackClient,
  unlessRefused,
} from './web-api.ts';

/** A message's blocks, and its text for notifications. */
export interface MessageBody {
  text: string;
  blocks: types.KnownBlock[];
}

/** Where a message is posted: at the top level of a channel, or in a thread. */
export interface Place {
  channel: string;
  threadTs: string | null;
}

/** A posted message. */
export interface MessagePlace {
  channel: string;
  ts: string;
}

/**
 * Invisible metadata of one of our messages, by which it is found again if the response to its post was
 * lost. Any app may send such metadata, so the message's author is checked too.
 */
export interface Mark {
  kind: 'share' | 'report';
  id: number;
}

/** What to search for, and the timestamp from which it may exist. */
interface Search {
  mark: Mark;
  oldest: string;
}

const EVENT_TYPE = 'pigeonhole_reply';
const QUIET = { unfurl_links: false, unfurl_media: false, parse: 'none' } as const;

type Messages = ReturnType<typeof createMessages>;

/** The app's calls on messages. Each rejects with SlackCallError. */
export function createMessages(client: SlackClient, identity: Identity) {
  /** Removes one of our reactions from a message; does nothing if it is not there. */
  const unreact = async ({ channel, ts: timestamp }: MessagePlace, name: string): Promise<void> => {
    await unlessRefused(client.reactions.remove({ channel, timestamp, name }), 'no_reaction');
  };

  /**
   * Deletes one of our messages from the channel's top level, where Slack puts a reply to a deleted
   * message; then rejects as `thread_not_found`.
   */
  async function takeBack(message: MessagePlace): Promise<never> {
    try {
      await unlessRefused(client.chat.delete({ ...message }), 'message_not_found');
    } catch (error) {
      if (!mayBeRepeated(error)) throw error;
      // The message is still there, so that its post did have an effect: it must be looked for.
      throw new SlackCallError('SLACK_UNREACHABLE', 'chat.delete: it was not deleted');
    }
    const reason = 'thread_not_found';
    throw new SlackCallError('SLACK_REFUSED', `chat.postMessage: ${reason}`, { reason });
  }

  /** Yields the pages of a thread or of a channel since `oldest`. */
  const pagesFrom = ({ channel, threadTs }: Place, oldest: string) => {
    const query = { channel, oldest, include_all_metadata: true, limit: 200 };
    return threadTs
      ? pagesOf((at) => client.conversations.replies({ ...query, ts: threadTs, ...at }))
      : pagesOf((at) => client.conversations.history({ ...query, ...at }));
  };

  async function findIn(place: Place, { mark, oldest }: Search): Promise<string | null> {
    for await (const { messages = [] } of pagesFrom(place, oldest)) {
      const found = messages.find(
        (message) => isOwn(message, identity) && carries(message.metadata, mark),
      );
      if (found?.ts) return found.ts;
    }
    return null;
  }

  const say = (channel: string, body: MessageBody, threadTs: string | null = null) =>
    client.chat.postMessage({ channel, ...inThread(threadTs), ...body, ...QUIET });

  return {
    /** Posts a message; returns its timestamp. Rejects as `thread_not_found` without its thread. */
    post: async (
      { channel, threadTs }: Place,
      { body, mark }: { body: MessageBody; mark: Mark },
    ): Promise<string> => {
      const metadata = { event_type: EVENT_TYPE, event_payload: { ...mark } };
      const message = { channel, ...inThread(threadTs), ...body, ...QUIET, metadata };
      const { ts = '', message: posted } = await client.chat.postMessage(message);
      if (!threadTs || !posted || posted.thread_ts) return ts;
      return takeBack({ channel, ts });
    },
    update: async (message: MessagePlace, body: MessageBody): Promise<void> => {
      await client.chat.update({ ...message, ...body, parse: 'none' });
    },
    /**
     * Returns the timestamp of our message with that mark; null if it was never posted. Rejects as
     * `thread_not_found` if its thread is gone, after deleting it from the channel's top level.
     */
    find: async (place: Place, search: Search): Promise<string | null> => {
      try {
        return await findIn(place, search);
      } catch (error) {
        if (!isRefused(error, 'thread_not_found')) throw error;
        const { channel } = place;
        const ts = await findIn({ channel, threadTs: null }, search);
        if (ts) await takeBack({ channel, ts });
        throw error;
      }
    },
    /** Shows these blocks under addresses in a message (https://docs.slack.dev/reference/methods/chat.unfurl). */
    unfurl: async (
      { channel, ts }: MessagePlace,
      unfurls: Record<string, Pick<MessageBody, 'blocks'>>,
    ): Promise<void> => {
      await client.chat.unfurl({ channel, ts, unfurls });
    },
    postEphemeral: async (
      { threadTs, ...to }: { channel: string; user: string; threadTs?: string | null },
      body: MessageBody,
    ): Promise<void> => {
      await client.chat.postEphemeral({ ...to, ...inThread(threadTs), ...body, parse: 'none' });
    },
    announce: async (
      channel: string,
      body: MessageBody,
      threadTs: string | null = null,
    ): Promise<void> => {
      await say(channel, body, threadTs);
    },
    /**
     * Posts in a person's direct messages with the app, by their identifier; returns the
     * conversation.
     */
    notify: async (user: string, body: MessageBody): Promise<MessagePlace> => {
      const { channel = user, ts = '' } = await say(user, body);
      return { channel, ts };
    },
    /** Replaces one of our reactions on a message by another. Both calls are idempotent. */
    react: async (
      message: MessagePlace,
      { name, instead }: { name: string; instead: string | null },
    ): Promise<void> => {
      const { channel, ts: timestamp } = message;
      await unlessRefused(client.reactions.add({ channel, timestamp, name }), 'already_reacted');
      if (instead && instead !== name) await unreact(message, instead);
    },
    unreact,
  };
}

const inThread = (threadTs: string | null | undefined) => (threadTs ? { thread_ts: threadTs } : {});

function carries(
  metadata: { event_type?: string; event_payload?: object } | undefined,
  { kind, id }: Mark,
): boolean {
  const marked: { kind?: unknown; id?: unknown } = { ...metadata?.event_payload };
  return metadata?.event_type === EVENT_TYPE && marked.kind === kind && Number(marked.id) === id;
}

interface PrivateReader {
  channel: string;
  userId: string;
  /** The thread that the message is about; null for none. Default: none. */
  threadTs?: string | null;
  /** When the person was last active in the channel, by our clock; null: perhaps long ago. */
  seenAt: number | null;
}

/** How long after that they still count as active, in milliseconds. */
const STAYS_MS = 60_000;

/**
 * Posts privately to a person: ephemerally in the channel if they were active there just now, since
 * Slack does not keep ephemeral messages; else, or if they or the bot are not in the channel, in
 * their direct messages. `say` gets the channel if the message is read elsewhere. Rejects with
 * SlackCallError.
 */
export async function postPrivately(
  { channel, userId: user, threadTs = null, seenAt }: PrivateReader,
  say: (elsewhere?: string) => MessageBody,
  { workspace, clock }: { workspace: Pick<Messages, 'postEphemeral' | 'notify'>; clock: Clock },
): Promise<void> {
  const isThere = seenAt !== null && clock.now() - seenAt < STAYS_MS;
  const inChannel = () => workspace.postEphemeral({ channel, user, threadTs }, say());
  if (isThere && (await unlessRefused(inChannel().then(() => true)))) return;
  await workspace.notify(user, say(channel));
}
