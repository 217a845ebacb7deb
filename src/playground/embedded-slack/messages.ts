import type { Directory } from './directory.ts';
import type { Emulator } from './emulator.ts';
import type { FileStore } from './files/file-store.ts';
import { presentFile } from './files/present-file.ts';
import { objectOf, type SlackMessage } from './slack-shapes.ts';
import type { Timeline } from './timeline.ts';

interface MessageParts {
  emulator: Emulator;
  directory: Directory;
  timeline: Timeline;
  files: FileStore;
  origin: string;
}

export interface Messages {
  /** Returns the message as Slack shows it, with thread fields and the front's file objects. */
  present(channel: string, raw: SlackMessage): SlackMessage;
  /** Resolves with one message or reply; undefined if there is none. */
  read(channel: string, ts: string): Promise<SlackMessage | undefined>;
  /** Omits the message's subtype from now on, as Slack does for most shares. */
  dropSubtype(channel: string, ts: string): void;
}

export function createMessages(parts: MessageParts): Messages {
  const { emulator, directory, files, origin } = parts;
  const plain = new Set<string>();

  const present = (channel: string, raw: SlackMessage): SlackMessage => {
    const message = { ...raw, ...threadOf(parts, channel, raw) };
    if (plain.has(`${channel}/${raw.ts}`)) delete message.subtype;
    if (raw.files) {
      const place = { origin, place: 'message' as const };
      message.files = raw.files.map((file) => presentFile(file, files.find(file.id), place));
    }
    return message;
  };

  return {
    present,
    read: async (channel, ts) => {
      const reader = await directory.readerOf(channel);
      const answer = await emulator.call('reactions.get', { channel, timestamp: ts }, reader);
      const raw = objectOf(answer, 'message');
      return raw ? present(channel, raw as SlackMessage) : undefined;
    },
    dropSubtype: (channel, ts) => plain.add(`${channel}/${ts}`),
  };
}

function threadOf({ timeline }: MessageParts, channel: string, raw: SlackMessage) {
  if (raw.thread_ts && raw.thread_ts !== raw.ts) {
    const { parentUser } = timeline.thread(channel, raw.thread_ts);
    return parentUser ? { parent_user_id: parentUser } : {};
  }
  const { replyCount, latestReply } = timeline.thread(channel, raw.ts);
  if (!latestReply) return {};
  return { thread_ts: raw.ts, reply_count: replyCount, latest_reply: latestReply };
}
