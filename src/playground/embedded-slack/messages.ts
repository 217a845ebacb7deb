import type { Clock } from '../../base/index.ts';
import type { Change, Changes } from './changes.ts';
import type { Directory } from './directory.ts';
import type { Emulator } from './emulator.ts';
import type { FileStore } from './files/file-store.ts';
import {
  type Json,
  objectOf,
  objectsOf,
  type SlackMessage,
  type SlackResponse,
  stringOf,
} from './slack-types.ts';

/** A message as users see it in the channel. */
export interface ShownMessage extends SlackMessage {
  /** Oldest first; empty without a thread. */
  replies: SlackMessage[];
}

interface PostedMessage {
  channel: string;
  ts: string;
  threadTs?: string | undefined;
  user: string;
}

export type Messages = ReturnType<typeof createMessages>;

interface MessagesOptions {
  clock: Clock;
  emulator: Emulator;
  directory: Directory;
  files: FileStore;
  changes: Changes;
}

/**
 * The emulator's messages as Slack shows them, with what it does not keep of threads and files.
 * `posted`, `changed` and `removed` record a write to the emulator: one of them must follow each.
 */
export function createMessages(options: MessagesOptions) {
  const { clock, emulator, directory, files, changes } = options;
  const threads = createThreads();
  const withoutSubtype = new Set<string>();
  const unfurls = new Map<string, Json[]>();
  const channelCache = createVersionCache<ShownMessage[]>();
  const replyCache = createVersionCache<SlackMessage[]>();
  let count = 0;

  const present = (channel: string, raw: SlackMessage): SlackMessage => {
    const message = { ...raw, ...threadFields(threads, channel, raw) };
    if (withoutSubtype.has(`${channel}/${raw.ts}`)) delete message.subtype;
    const attachments = unfurls.get(`${channel}/${raw.ts}`);
    if (attachments) message.attachments = attachments;
    if (raw.files) message.files = raw.files.map((file) => files.describe(file, 'message'));
    return message;
  };
  const readReplies = (channel: string, ts: string, account: string) =>
    replyCache(`${channel}/${ts}`, threads.version(channel, ts), async () => {
      const response = await emulator.call('conversations.replies', { channel, ts }, account);
      const replies = messagesIn(response).filter((raw) => raw.ts !== ts);
      return replies.map((raw) => present(channel, raw));
    });
  const readChannel = (channel: string) =>
    channelCache(channel, threads.version(channel), async () => {
      const account = await directory.readerOf(channel);
      const found: ShownMessage[] = [];
      for await (const page of historyPages(emulator, account, { channel, limit: 1000 })) {
        for (const raw of page) {
          const message = present(channel, raw);
          const hasThread = Boolean(message.reply_count);
          const replies = hasThread ? await readReplies(channel, raw.ts, account) : [];
          found.push({ ...message, replies });
        }
      }
      return found.reverse();
    });

  return {
    /** Returns the message as Slack shows it, with thread fields and its file objects. */
    present,
    /** Resolves with one message or reply; undefined if there is none. */
    read: async (channel: string, ts: string): Promise<SlackMessage | undefined> => {
      const reader = await directory.readerOf(channel);
      const response = await emulator.call('reactions.get', { channel, timestamp: ts }, reader);
      const raw = objectOf(response, 'message');
      return raw ? present(channel, raw as SlackMessage) : undefined;
    },
    /**
     * Reads a channel, oldest message first, with threads, reactions, files, blocks and metadata.
     * Reuses the last read until a write, so it is cheap after every change.
     */
    readChannel,
    posted: (message: PostedMessage): void => {
      threads.posted(message);
      changes.notify('message');
    },
    changed: (channel: string, ts: string, what: Change['what']): void => {
      threads.touched(channel, ts);
      changes.notify(what);
    },
    removed: (channel: string, ts: string): void => {
      threads.removed(channel, ts);
      changes.notify('message');
    },
    /** Sets the message's unfurls. */
    unfurled: (channel: string, ts: string, attachments: Json[]): void => {
      unfurls.set(`${channel}/${ts}`, attachments);
      threads.touched(channel, ts);
      changes.notify('message');
    },
    /** Whether the thread's parent was removed when it had no replies. */
    isThreadGone: threads.isGone,
    /** Omits the message's subtype from now on, as Slack does for most shares. */
    dropSubtype: (channel: string, ts: string) => withoutSubtype.add(`${channel}/${ts}`),
    /** Returns a new `ts`, for what the emulator does not number. */
    newTs: (): string => {
      count = (count + 1) % 1000;
      const ms = clock.now();
      const fraction = String((ms % 1000) * 1000 + count).padStart(6, '0');
      return `${Math.floor(ms / 1000)}.${fraction}`;
    },
  };
}

/** Returns the emulator's messages of a channel, in pages, newest first, from the cursor on. */
export async function* historyPages(
  emulator: Emulator,
  account: string,
  query: { channel: string; limit: number; cursor?: string },
): AsyncGenerator<SlackMessage[]> {
  let { cursor = '' } = query;
  do {
    const response = await emulator.call('conversations.history', { ...query, cursor }, account);
    yield messagesIn(response);
    cursor = stringOf(objectOf(response, 'response_metadata') ?? {}, 'next_cursor');
  } while (cursor);
}

export function messagesIn(response: SlackResponse): SlackMessage[] {
  return (objectsOf(response, 'messages') ?? []) as SlackMessage[];
}

function threadFields(
  threads: ReturnType<typeof createThreads>,
  channel: string,
  raw: SlackMessage,
): Json {
  if (raw.thread_ts && raw.thread_ts !== raw.ts) {
    const { parentUser } = threads.thread(channel, raw.thread_ts);
    return parentUser ? { parent_user_id: parentUser } : {};
  }
  const { replies } = threads.thread(channel, raw.ts);
  const latest = replies.at(-1);
  if (!latest) return {};
  return { thread_ts: raw.ts, reply_count: replies.length, latest_reply: latest };
}

/** Caches each key's read until its version changes or the read fails. */
function createVersionCache<T>() {
  const cache = new Map<string, { version: number; result: Promise<T> }>();
  return (key: string, version: number, read: () => Promise<T>): Promise<T> => {
    const known = cache.get(key);
    if (known?.version === version) return known.result;
    const result = read();
    cache.set(key, { version, result });
    result.catch(() => cache.delete(key));
    return result;
  };
}

interface Thread {
  parentUser: string | undefined;
  /** The replies' `ts`, oldest first. */
  replies: string[];
}

/**
 * Keeps what the emulator does not: the replies of each thread, and a version of each channel and
 * thread that every write increases, so that readers can tell when their copy is stale.
 */
function createThreads() {
  const threads = new Map<string, Thread>();
  const parents = new Map<string, string>();
  const versions = new Map<string, number>();
  const gone = new Set<string>();

  const key = (channel: string, ts = '') => `${channel}/${ts}`;
  const increase = (name: string) => versions.set(name, (versions.get(name) ?? 0) + 1);
  const thread = (channel: string, ts: string): Thread => {
    const known = threads.get(key(channel, ts)) ?? { parentUser: undefined, replies: [] };
    threads.set(key(channel, ts), known);
    return known;
  };
  const touched = (channel: string, ts: string) => {
    increase(key(channel));
    increase(key(channel, parents.get(key(channel, ts)) ?? ts));
  };

  return {
    posted: ({ channel, ts, threadTs, user }: PostedMessage) => {
      thread(channel, ts).parentUser = user;
      if (threadTs && threadTs !== ts) {
        thread(channel, threadTs).replies.push(ts);
        parents.set(key(channel, ts), threadTs);
      }
      touched(channel, ts);
    },
    removed: (channel: string, ts: string) => {
      const parent = parents.get(key(channel, ts));
      if (parent) {
        const parentThread = thread(channel, parent);
        parentThread.replies = parentThread.replies.filter((reply) => reply !== ts);
      }
      if (thread(channel, ts).replies.length === 0) gone.add(key(channel, ts));
      touched(channel, ts);
    },
    touched,
    thread,
    isGone: (channel: string, ts: string) => gone.has(key(channel, ts)),
    version: (channel: string, threadTs?: string) => versions.get(key(channel, threadTs)) ?? 0,
  };
}
