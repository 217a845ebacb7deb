/** Facts of a thread, collected as its messages are posted and removed. */
interface ThreadFacts {
  replyCount: number;
  latestReply: string | undefined;
  parentUser: string | undefined;
}

interface PostedMessage {
  channel: string;
  ts: string;
  threadTs?: string | undefined;
  user: string;
}

/**
 * Keeps what the emulator does not: the replies of each thread, and a version of each channel and
 * thread that every write increases, so that readers can tell when their copy is stale.
 */
export interface Timeline {
  posted(message: PostedMessage): void;
  removed(channel: string, ts: string): void;
  /** Records that a message was edited or reacted to. */
  touched(channel: string, ts: string): void;
  thread(channel: string, ts: string): ThreadFacts;
  /** Whether a message was removed when it had no replies, so that its thread is gone too. */
  isGone(channel: string, ts: string): boolean;
  /** Increases with every write to the channel, or to the thread if one is given. */
  version(channel: string, threadTs?: string): number;
}

interface Thread {
  user: string | undefined;
  replies: string[];
}

export function createTimeline(): Timeline {
  const threads = new Map<string, Thread>();
  const parents = new Map<string, string>();
  const versions = new Map<string, number>();
  const gone = new Set<string>();

  const key = (channel: string, ts = '') => `${channel}/${ts}`;
  const bump = (name: string) => versions.set(name, (versions.get(name) ?? 0) + 1);
  const threadOf = (channel: string, ts: string): Thread => {
    const known = threads.get(key(channel, ts)) ?? { user: undefined, replies: [] };
    threads.set(key(channel, ts), known);
    return known;
  };
  const touched = (channel: string, ts: string) => {
    bump(key(channel));
    bump(key(channel, parents.get(key(channel, ts)) ?? ts));
  };

  return {
    posted: ({ channel, ts, threadTs, user }) => {
      threadOf(channel, ts).user = user;
      if (threadTs && threadTs !== ts) {
        threadOf(channel, threadTs).replies.push(ts);
        parents.set(key(channel, ts), threadTs);
      }
      touched(channel, ts);
    },
    removed: (channel, ts) => {
      const parent = parents.get(key(channel, ts));
      if (parent) {
        const thread = threadOf(channel, parent);
        thread.replies = thread.replies.filter((reply) => reply !== ts);
      }
      if (threadOf(channel, ts).replies.length === 0) gone.add(key(channel, ts));
      touched(channel, ts);
    },
    touched,
    isGone: (channel, ts) => gone.has(key(channel, ts)),
    thread: (channel, ts) => {
      const known = threads.get(key(channel, ts));
      const replies = known?.replies ?? [];
      return {
        replyCount: replies.length,
        latestReply: replies.at(-1),
        parentUser: known?.user,
      };
    },
    version: (channel, threadTs) => versions.get(key(channel, threadTs)) ?? 0,
  };
}
