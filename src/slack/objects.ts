import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ErrorCode, type ErrorDetails, PigeonholeError } from '../base/index.ts';
import { attachmentId, emailIdOf, type Share, type SharedFile } from '../core/index.ts';
import { SlackCallError, type SlackClient } from './web-api.ts';

export type SlackFileErrorCode = Extract<ErrorCode, `SLACK_FILE_${string}`>;

/** A Slack file could not be read: not now, or never, if that is of the file's kind. */
export class SlackFileError extends PigeonholeError {
  declare readonly code: SlackFileErrorCode;

  /** `retry`, by default `later`: what Slack says of a file may change. */
  constructor(code: SlackFileErrorCode, message: string, details: FileErrorDetails = {}) {
    super(code, message, { retry: 'later', ...details });
  }
}

type FileErrorDetails = Pick<ErrorDetails, 'retry' | 'retryAfterMs'>;

// A missing or malformed field is null.
const text = z.string().nullable().catch(null);

const size = z.number().int().nonnegative().nullable().catch(null);

/** An attachment of an email that was forwarded to Slack. */
const attachment = z.object({ filename: text, mimetype: text, size, url: z.string().min(1) });

/** A file object as Slack sends it: any field may be missing (stubs, tombstones, links). */
const fileObject = z
  .object({
    id: z.string().min(1),
    name: text,
    title: text,
    mimetype: text,
    filetype: text,
    size,
    mode: text,
    attachments: z.array(attachment.nullable().catch(null)).catch([]),
    is_external: z.boolean().catch(false),
    file_access: text,
    url_private: text,
    url_private_download: text,
    user: text,
  })
  .transform(({ is_external, file_access, url_private, url_private_download, user, ...same }) => ({
    ...same,
    isExternal: is_external,
    fileAccess: file_access,
    url: url_private_download || url_private || null,
    uploader: user || null,
  }));

/**
 * Returns a file of Slack's; after an email, also the attachments that Slack gives addresses of, each
 * as a file whose identifier begins with the email's. None if the object is no file's.
 */
function readFiles(value: unknown): SharedFile[] {
  const { data } = fileObject.safeParse(value);
  if (!data) return [];
  const { attachments, ...file } = data;
  if (file.mode !== 'email') return [file];
  const listed = attachments.filter((one) => one !== null);
  const attached = listed.map((one) => {
    const { filename: name, ...stated } = one;
    const id = attachmentId(file.id, identityOf(one, listed));
    return { ...file, ...stated, id, name, ...OF_ATTACHMENT };
  });
  return [file, ...attached];
}

const OF_ATTACHMENT = { title: null, filetype: null, mode: 'hosted' };

type Attachment = z.infer<typeof attachment>;

/**
 * Returns a hash of what tells an attachment from the others of its email: its name and size, as its
 * address and its place may change; its address if they are not known, or another's are the same.
 */
function identityOf({ filename, size, url }: Attachment, listed: readonly Attachment[]): string {
  const alike = listed.filter((one) => one.filename === filename && one.size === size);
  const isKnown = filename !== null && size !== null && alike.every((one) => one.url === url);
  const identity = JSON.stringify(isKnown ? [filename, size] : [filename, size, url]);
  return createHash('sha256').update(identity).digest('hex');
}

// Modes of files with bytes to download; of `file_access`, only files.info tells.
const DOWNLOADABLE = new Set(['hosted', 'snippet', 'post', 'file_access']);
/** Modes of canvases, lists and the like, which have none. */
const WITHOUT_BYTES = new Set(['space', 'canvas', 'list', 'docs', 'quip']);

/**
 * Decides whether a file can be downloaded (https://docs.slack.dev/reference/objects/file-object).
 * `ask`: files.info must be called first. An error is worth a retry if Slack may say otherwise later;
 * links, emails and canvases stay what they are.
 */
export function assessFile(file: SharedFile): 'ready' | 'ask' | SlackFileError {
  const { id, mode, fileAccess } = file;
  const no = (code: SlackFileErrorCode, why: string, retry: FileErrorDetails['retry'] = 'later') =>
    new SlackFileError(code, `${id} ${why}`, { retry });
  if (file.isExternal || mode === 'external')
    return no('SLACK_FILE_EXTERNAL', 'is a link', 'never');
  if (mode === 'email') return no('SLACK_FILE_EMAIL', 'is an email', 'never');
  if (mode !== null && WITHOUT_BYTES.has(mode))
    return no('SLACK_FILE_UNSUPPORTED', `is a ${mode}`, 'never');
  if (mode === 'tombstone') return no('SLACK_FILE_DELETED', 'was deleted');
  if (mode === 'hidden_by_limit') return no('SLACK_FILE_HIDDEN', 'is hidden by the plan');
  if (fileAccess === 'access_denied') return no('SLACK_FILE_DENIED', 'may not be read');
  if (fileAccess === 'file_not_found') return no('SLACK_FILE_DELETED', 'is not there');
  if (mode !== null && !DOWNLOADABLE.has(mode)) return no('SLACK_FILE_UNSUPPORTED', `is a ${mode}`);
  const isUnseen = fileAccess !== null && fileAccess !== 'visible';
  return isUnseen || file.url === null || mode === 'file_access' ? 'ask' : 'ready';
}

/**
 * Returns what Slack knows of a file now. An attachment is found in its email's list by what it is, or
 * by its address, and never by its place; it is deleted if its email is. Rejects with SlackFileError.
 */
export async function fileInfo(client: SlackClient, file: SharedFile): Promise<SharedFile> {
  const [found, ...attached] = await askFor(client, file);
  if (found.id === file.id) return found;
  if (found.mode === 'tombstone') return { ...file, mode: found.mode };
  const own =
    attached.find(({ id }) => id === file.id) ?? attached.find(({ url }) => url === file.url);
  if (own) return { ...own, id: file.id };
  throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id}: not listed by its email`);
}

/** Returns the attachments that Slack lists of an email now. Rejects with SlackFileError. */
export async function attachmentsOf(client: SlackClient, file: SharedFile): Promise<SharedFile[]> {
  const [, ...attached] = await askFor(client, file);
  return attached;
}

/** Returns the file that files.info knows, and after an email its attachments. */
async function askFor(
  client: SlackClient,
  file: SharedFile,
): Promise<[SharedFile, ...SharedFile[]]> {
  const asked = emailIdOf(file.id);
  try {
    const answer = await client.files.info({ file: asked });
    const [found, ...attached] = readFiles(answer.file);
    if (found?.id === asked) return [found, ...attached];
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { reason, message, retryAfterMs } = error;
    const code = CODES[reason] ?? 'SLACK_FILE_UNAVAILABLE';
    const said = `${file.id}: files.info: ${reason || message}`;
    throw new SlackFileError(code, said, { retryAfterMs });
  }
  throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id}: unreadable`);
}

/** By the error of files.info (https://docs.slack.dev/reference/methods/files.info). */
const CODES: Record<string, SlackFileErrorCode> = {
  access_denied: 'SLACK_FILE_DENIED',
  ekm_access_denied: 'SLACK_FILE_DENIED',
  no_permission: 'SLACK_FILE_DENIED',
  team_access_not_granted: 'SLACK_FILE_DENIED',
  file_deleted: 'SLACK_FILE_DELETED',
  file_not_found: 'SLACK_FILE_NOT_FOUND',
  // Of the token itself, whatever file is asked for.
  account_inactive: 'SLACK_FILE_UNAUTHORIZED',
  invalid_auth: 'SLACK_FILE_UNAUTHORIZED',
  missing_scope: 'SLACK_FILE_UNAUTHORIZED',
  not_authed: 'SLACK_FILE_UNAUTHORIZED',
  org_login_required: 'SLACK_FILE_UNAUTHORIZED',
  token_expired: 'SLACK_FILE_UNAUTHORIZED',
  token_revoked: 'SLACK_FILE_UNAUTHORIZED',
};

const timestamp = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/);

/** A forwarded message; a link to a message, which Slack also unfurls, is no share. */
const forwarded = z.looseObject({ is_share: z.literal(true), files: z.array(z.unknown()) });

const messageObject = z.looseObject({
  ts: timestamp,
  thread_ts: z.string().nullish(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  subtype: z.string().nullish(),
  hidden: z.boolean().nullish(),
  files: z.array(z.unknown()).nullish(),
  // Malformed attachments must not hide the message's own files.
  attachments: z.array(forwarded.nullable().catch(null)).nullish().catch(null),
});

type MessageObject = z.infer<typeof messageObject>;
type FileHolder = Pick<MessageObject, 'files' | 'attachments' | 'bot_id'>;

// The message's own files come first. Only people forward messages: an app can write any attachment,
// and name a file that nobody shared here.
function filesOf({ files, attachments, bot_id }: FileHolder): SharedFile[] {
  const inForwarded = bot_id ? [] : (attachments ?? []).flatMap((one) => one?.files ?? []);
  return [...(files ?? []), ...inForwarded].flatMap(readFiles);
}

/** The bot's identity, from auth.test and bots.info; undefined is what Slack does not say. */
export interface Identity {
  team: string;
  botUserId: string;
  botId: string | undefined;
  appId?: string | undefined;
  /** The scopes granted to the bot's token. */
  scopes?: readonly string[] | undefined;
  /** The workspace's address for people. */
  url?: string | undefined;
}

/** Where a message was found, and the bot's identity, so that it never files its own messages. */
export interface MessageContext extends Identity {
  channel: string;
}

/** Whether the bot posted a message: Slack names its user, its bot, or both. */
export function isOwn(
  { user, bot_id }: Pick<MessageObject, 'user' | 'bot_id'>,
  { botUserId, botId }: Identity,
): boolean {
  return user === botUserId || (!!bot_id && bot_id === botId);
}

/**
 * Returns a message from an event or from history as a share; null if it carries no file. Files of a
 * message that a person forwards in it count as its own. The `file_share` subtype is not relied on.
 * Edits and deletions nest old files and are no shares: see parseAddedFiles
 * (https://docs.slack.dev/reference/events/message).
 */
export function parseShare(value: unknown, context: MessageContext): Share | null {
  const { success, data } = messageObject.safeParse(value);
  if (!success || data.hidden || NO_NEWS.has(data.subtype) || isOwn(data, context)) return null;
  const { ts, thread_ts, user } = data;
  const unique = [...new Map(filesOf(data).map((file) => [file.id, file])).values()];
  if (unique.length === 0) return null;
  const threadTs = thread_ts && thread_ts !== ts ? thread_ts : null;
  const { team, channel } = context;
  return { team, channel, ts, threadTs, userId: user ?? null, files: unique };
}

const NO_NEWS: ReadonlySet<unknown> = new Set(['message_changed', 'message_deleted']);

/** Returns a share with those of its files that are wanted; null if there are none. */
export function withFiles(
  share: Share | null,
  isWanted: (file: SharedFile) => boolean,
): Share | null {
  const files = share?.files.filter(isWanted) ?? [];
  return share && files.length > 0 ? { ...share, files } : null;
}

const nested = messageObject.partial({ ts: true }).nullish();

/** An edit or a deletion of a message. */
const changeEvent = z.looseObject({
  subtype: z.enum(['message_deleted', 'message_changed']),
  channel: z.string().max(40),
  deleted_ts: timestamp.nullish(),
  message: nested,
  previous_message: nested,
});

/**
 * Returns the files that an edit added to a message, as a share of that message; null if it added none,
 * or if Slack does not say what the message was before: see parseEdited.
 */
export function parseAddedFiles(value: unknown, context: MessageContext): Share | null {
  const { data } = changeEvent.safeParse(value);
  if (data?.subtype !== 'message_changed' || !data.previous_message) return null;
  const before = filesOf(data.previous_message).map(({ id }) => id);
  const isAdded = ({ id, mode }: SharedFile) => mode !== 'tombstone' && !before.includes(id);
  return withFiles(parseShare(data.message, context), isAdded);
}

/**
 * Returns an edited message with all its files as a share, if Slack does not say what the message was
 * before; null otherwise, and if it carries no file.
 */
export function parseEdited(value: unknown, context: MessageContext): Share | null {
  const { data } = changeEvent.safeParse(value);
  if (data?.subtype !== 'message_changed' || data.previous_message) return null;
  return withFiles(parseShare(data.message, context), ({ mode }) => mode !== 'tombstone');
}

/** A deleted message, or deleted files of a message. */
export type ParsedDeletion = { channel: string; ts: string } | { fileId: string };

/**
 * Returns what a `message` event reports as deleted: a message with files (one with replies becomes a
 * tombstone), or files of a message that stays. Slack does not say who deleted it
 * (https://docs.slack.dev/reference/events/message/message_deleted).
 */
export function parseDeletion(value: unknown): ParsedDeletion[] {
  const { data } = changeEvent.safeParse(value);
  if (!data) return [];
  const { subtype, channel, message, previous_message: previous } = data;
  if (subtype === 'message_changed' && message?.subtype !== 'tombstone') {
    const gone = filesOf({ files: message?.files }).filter(({ mode }) => mode === 'tombstone');
    return gone.map(({ id }) => ({ fileId: id }));
  }
  const ts = data.deleted_ts ?? message?.ts ?? previous?.ts;
  const hadFiles = !previous || filesOf(previous).length > 0;
  return ts && hadFiles ? [{ channel, ts }] : [];
}
