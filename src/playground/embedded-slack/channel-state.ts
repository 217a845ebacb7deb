import type { Directory } from './directory.ts';
import type { Emulator } from './emulator.ts';
import type { Messages } from './messages.ts';
import { type Json, objectOf, objectsOf, type SlackMessage, stringOf } from './slack-shapes.ts';
import type { Timeline } from './timeline.ts';

/** A message as a person sees it in the channel. */
export interface ShownMessage extends SlackMessage {
  /** Oldest first; empty without a thread. */
  replies: SlackMessage[];
}

interface ChannelStateParts {
  emulator: Emulator;
  directory: Directory;
  messages: Messages;
  timeline: Timeline;
}

/**
 * Returns a function that reads a channel, oldest message first, with threads, reactions, files,
 * blocks and metadata. It reuses the last read until a write, so it is cheap after every change.
 */
export function createChannelState(parts: ChannelStateParts) {
  const { directory, timeline } = parts;
  const channels = keepByVersion<ShownMessage[]>();
  const threads = keepByVersion<SlackMessage[]>();

  return async (nameOrId: string): Promise<ShownMessage[]> => {
    const channel = directory.channelId(nameOrId);
    const account = await directory.readerOf(channel);
    const repliesTo = (ts: string) =>
      threads(`${channel}/${ts}`, timeline.version(channel, ts), () =>
        readReplies(parts, { channel, ts, account }),
      );
    return channels(channel, timeline.version(channel), () =>
      readChannel(parts, { channel, account, repliesTo }),
    );
  };
}

/** Caches each key's read until its version changes or the read fails. */
function keepByVersion<T>() {
  const kept = new Map<string, { version: number; reading: Promise<T> }>();
  return (key: string, version: number, read: () => Promise<T>): Promise<T> => {
    const known = kept.get(key);
    if (known?.version === version) return known.reading;
    const reading = read();
    kept.set(key, { version, reading });
    reading.catch(() => kept.delete(key));
    return reading;
  };
}

interface ChannelReading {
  channel: string;
  account: string;
  repliesTo: (ts: string) => Promise<SlackMessage[]>;
}

async function readChannel(
  { emulator, messages }: ChannelStateParts,
  { channel, account, repliesTo }: ChannelReading,
): Promise<ShownMessage[]> {
  const found: ShownMessage[] = [];
  let cursor = '';
  do {
    const query = { channel, limit: 1000, cursor };
    const answer = await emulator.call('conversations.history', query, account);
    for (const raw of listed(answer)) {
      const message = messages.present(channel, raw);
      found.push({ ...message, replies: message.reply_count ? await repliesTo(raw.ts) : [] });
    }
    cursor = stringOf(objectOf(answer, 'response_metadata') ?? {}, 'next_cursor');
  } while (cursor);
  return found.reverse();
}

async function readReplies(
  { emulator, messages }: ChannelStateParts,
  { channel, ts, account }: { channel: string; ts: string; account: string },
): Promise<SlackMessage[]> {
  const answer = await emulator.call('conversations.replies', { channel, ts }, account);
  const replies = listed(answer).filter((raw) => raw.ts !== ts);
  return replies.map((raw) => messages.present(channel, raw));
}

function listed(answer: Json): SlackMessage[] {
  return (objectsOf(answer, 'messages') ?? []) as SlackMessage[];
}
