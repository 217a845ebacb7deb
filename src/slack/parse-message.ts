import { z } from 'zod';
import type { Share, SharedFile } from '../transfers/index.ts';
import { readSlackFile } from './slack-file.ts';

const timestamp = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/);

const messageObject = z.looseObject({
  ts: timestamp,
  thread_ts: z.string().nullish(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  subtype: z.string().nullish(),
  hidden: z.boolean().nullish(),
  files: z.array(z.unknown()).nullish(),
  // Malformed attachments must not hide the message's own files.
  attachments: z.array(z.unknown()).nullish().catch(null),
});

type MessageObject = z.infer<typeof messageObject>;

/** A forwarded message; a link to a message, which Slack also unfurls, is no share. */
const forwarded = z.looseObject({ is_share: z.literal(true), files: z.array(z.unknown()) });

type FileHolder = Pick<MessageObject, 'files' | 'attachments' | 'bot_id'>;

// The message's own files come first. Only people forward messages: an app can write any attachment,
// and name a file that nobody shared here.
function filesOf({ files, attachments, bot_id }: FileHolder): unknown[] {
  const inForwarded = (bot_id ? [] : (attachments ?? [])).flatMap(
    (attachment) => forwarded.safeParse(attachment).data?.files ?? [],
  );
  return [...(files ?? []), ...inForwarded];
}

/** The app's identifiers as the author of a message. */
export interface OwnIds {
  botUserId: string | undefined;
  botId: string | undefined;
}

/** Where a message was found, and the app's identifiers, so that it never files its own messages. */
export interface MessageContext extends OwnIds {
  team: string;
  channel: string;
}

/** Whether the app posted a message: Slack names its user, its bot, or both. */
export function isOwn(
  { user, bot_id }: Pick<MessageObject, 'user' | 'bot_id'>,
  { botUserId, botId }: OwnIds,
): boolean {
  return (!!user && user === botUserId) || (!!bot_id && bot_id === botId);
}

/**
 * Returns a message from an event or from history as a share; null if it carries no file. Files of a
 * message that a person forwards in it count as its own. The `file_share` subtype is not relied on.
 * Edits and deletions nest old files and are no shares: see parseAddedFiles
 * (https://docs.slack.dev/reference/events/message).
 */
export function parseShare(value: unknown, context: MessageContext): Share | null {
  const result = messageObject.safeParse(value);
  if (!result.success || !carriesNews(result.data, context)) return null;
  const { ts, thread_ts, user } = result.data;
  const read = filesOf(result.data).flatMap((file) => readSlackFile(file) ?? []);
  const unique = [...new Map(read.map((file) => [file.id, file])).values()];
  if (unique.length === 0) return null;
  const threadTs = thread_ts && thread_ts !== ts ? thread_ts : null;
  const { team, channel } = context;
  return { team, channel, ts, threadTs, userId: user ?? null, files: unique };
}

function carriesNews(data: MessageObject, context: MessageContext): boolean {
  if (data.hidden || data.subtype === 'message_changed' || data.subtype === 'message_deleted')
    return false;
  return !isOwn(data, context);
}

const editEvent = z.looseObject({
  subtype: z.literal('message_changed'),
  message: z.unknown(),
  previous_message: messageObject.pick({ files: true, attachments: true }),
});

/**
 * Returns the files that an edit added to a message, as a share of that message; null if it added none,
 * or if Slack does not say what the message was before.
 */
export function parseAddedFiles(value: unknown, context: MessageContext): Share | null {
  const { data } = editEvent.safeParse(value);
  const share = data ? parseShare(data.message, context) : null;
  if (!data || !share) return null;
  const before = filesOf(data.previous_message).map((file) => readSlackFile(file)?.id);
  const isAdded = ({ id, mode }: SharedFile) => mode !== 'tombstone' && !before.includes(id);
  const files = share.files.filter(isAdded);
  return files.length > 0 ? { ...share, files } : null;
}

const nested = messageObject
  .pick({ subtype: true, files: true, attachments: true })
  .extend({ ts: timestamp.nullish() });
const deletionEvent = z.looseObject({
  subtype: z.enum(['message_deleted', 'message_changed']),
  channel: z.string().max(40),
  deleted_ts: timestamp.nullish(),
  message: nested.nullish(),
  previous_message: nested.nullish(),
});

/** A deleted message, or deleted files of a message. */
export type ParsedDeletion = { channel: string; ts: string } | { fileId: string };

/**
 * Returns what a `message` event reports as deleted: a message with files (one with replies becomes a
 * tombstone), or files of a message that stays. Slack does not say who deleted it
 * (https://docs.slack.dev/reference/events/message/message_deleted).
 */
export function parseDeletion(value: unknown): ParsedDeletion[] {
  const { success, data } = deletionEvent.safeParse(value);
  if (!success) return [];
  const { subtype, channel, message, previous_message: previous } = data;
  const isTombstone = message?.subtype === 'tombstone';
  if (subtype === 'message_changed' && !isTombstone) {
    const files = (message?.files ?? []).flatMap((file) => readSlackFile(file) ?? []);
    return files.flatMap(({ id, mode }) => (mode === 'tombstone' ? [{ fileId: id }] : []));
  }
  const deleted = data.deleted_ts ?? message?.ts ?? previous?.ts;
  const hadFiles = !previous || filesOf(previous).length > 0;
  return deleted && hadFiles ? [{ channel, ts: deleted }] : [];
}
