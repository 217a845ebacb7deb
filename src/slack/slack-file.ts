import type { webApi } from '@slack/bolt';
import { z } from 'zod';
import { type ErrorCode, PigeonholeError } from '../base/index.ts';
import type { SharedFile } from '../transfers/index.ts';
import { callSlack, SlackCallError } from './web-api.ts';

export type SlackFileErrorCode = Extract<ErrorCode, `SLACK_FILE_${string}`>;

/** Codes worth a retry; the others say what the file is, or that somebody must change something. */
const TRANSIENT: readonly SlackFileErrorCode[] = [
  'SLACK_FILE_UNAVAILABLE',
  'SLACK_FILE_NOT_FOUND',
  'SLACK_FILE_SIZE_MISMATCH',
];

/** A Slack file could not be read, at least not now. */
export class SlackFileError extends PigeonholeError {
  declare readonly code: SlackFileErrorCode;

  constructor(code: SlackFileErrorCode, message: string, retryAfterMs?: number) {
    super(code, message, {
      retry: TRANSIENT.includes(code) ? 'later' : 'never',
      retryAfterMs,
    });
  }
}

// A missing or malformed field is null.
const text = z.string().nullable().catch(null);

/** A file object as Slack sends it: any field may be missing (stubs, tombstones, links). */
const fileObject = z
  .object({
    id: z.string().min(1),
    name: text,
    title: text,
    mimetype: text,
    filetype: text,
    size: z.number().int().nonnegative().nullable().catch(null),
    mode: text,
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

/** Reads a file object; null if it is none. */
export function readSlackFile(value: unknown): SharedFile | null {
  return fileObject.safeParse(value).data ?? null;
}

// Modes with bytes to download. Others (canvases, lists and future ones) have none.
const DOWNLOADABLE = new Set(['hosted', 'snippet', 'post']);

/**
 * Decides whether a file can be downloaded (https://docs.slack.dev/reference/objects/file-object).
 * `ask`: files.info must be called first.
 */
export function assessFile(file: SharedFile): 'ready' | 'ask' | SlackFileError {
  const problem = problemOf(file);
  if (problem) return new SlackFileError(problem[0], `${file.id} ${problem[1]}`);
  const unseen = file.fileAccess !== null && file.fileAccess !== 'visible';
  return unseen || file.url === null || file.mode === 'file_access' ? 'ask' : 'ready';
}

function problemOf({
  mode,
  isExternal,
  fileAccess,
}: SharedFile): [SlackFileErrorCode, string] | null {
  if (isExternal || mode === 'external') return ['SLACK_FILE_EXTERNAL', 'is a link'];
  if (mode === 'tombstone') return ['SLACK_FILE_DELETED', 'was deleted'];
  if (mode === 'email') return ['SLACK_FILE_EMAIL', 'is an email'];
  if (mode === 'hidden_by_limit') return ['SLACK_FILE_HIDDEN', 'is hidden by the plan'];
  if (fileAccess === 'access_denied') return ['SLACK_FILE_DENIED', 'may not be read'];
  if (fileAccess === 'file_not_found') return ['SLACK_FILE_DELETED', 'is not there'];
  const hasBytes = mode === null || mode === 'file_access' || DOWNLOADABLE.has(mode);
  return hasBytes ? null : ['SLACK_FILE_UNSUPPORTED', `is a ${mode}`];
}

/** Returns what Slack knows of a file now. Rejects with SlackFileError. */
export async function fileInfo(client: webApi.WebClient, file: SharedFile): Promise<SharedFile> {
  try {
    const answer = await callSlack('files.info', () => client.files.info({ file: file.id }));
    const found = readSlackFile(answer.file);
    if (found) return found;
  } catch (error) {
    throw error instanceof SlackCallError ? toFileError(file, error) : error;
  }
  throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id}: unreadable`);
}

const CODES: Record<string, SlackFileErrorCode> = {
  file_deleted: 'SLACK_FILE_DELETED',
  file_not_found: 'SLACK_FILE_NOT_FOUND',
  missing_scope: 'SLACK_FILE_DENIED',
  access_denied: 'SLACK_FILE_DENIED',
};

function toFileError({ id }: SharedFile, { reason, message, retryAfterMs }: SlackCallError) {
  const code = CODES[reason] ?? 'SLACK_FILE_UNAVAILABLE';
  return new SlackFileError(code, `${id}: files.info: ${reason || message}`, retryAfterMs);
}
