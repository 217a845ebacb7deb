import { z } from 'zod';
import type { SharedFile } from '../transfers/index.ts';
import { SlackFileError } from './slack-error.ts';

const text = z.string().nullish().catch(null);

/** A file object as Slack sends it: any field may be missing (stubs, tombstones, links). */
const fileObject = z
  .looseObject({
    id: z.string().min(1),
    name: text,
    title: text,
    mimetype: text,
    filetype: text,
    size: z.number().int().nonnegative().nullish().catch(null),
    mode: text,
    is_external: z.boolean().nullish().catch(null),
    file_access: text,
    url_private: text,
    url_private_download: text,
  })
  .transform(
    (file): SharedFile => ({
      id: file.id,
      name: file.name ?? null,
      title: file.title ?? null,
      mimetype: file.mimetype ?? null,
      filetype: file.filetype ?? null,
      size: file.size ?? null,
      mode: file.mode ?? null,
      isExternal: file.is_external ?? false,
      fileAccess: file.file_access ?? null,
      url: file.url_private_download || file.url_private || null,
    }),
  );

/** Reads a file object; null for something that is none. */
export function readSlackFile(value: unknown): SharedFile | null {
  const result = fileObject.safeParse(value);
  return result.success ? result.data : null;
}

// Modes that have bytes. Others (canvases, lists and what may come) have none to download.
const DOWNLOADABLE = new Set(['hosted', 'snippet', 'email', 'post']);

/** What a file object says of whether it can be downloaded. `ask`: files.info knows more. */
export type Assessment = 'ready' | 'ask' | SlackFileError;

/** Whether a file can be downloaded as it is (https://docs.slack.dev/reference/objects/file-object). */
export function assessFile(file: SharedFile): Assessment {
  const problem = problemOf(file);
  if (problem) return problem;
  const unseen = file.fileAccess !== null && file.fileAccess !== 'visible';
  return unseen || file.url === null || file.mode === 'file_access' ? 'ask' : 'ready';
}

function problemOf(file: SharedFile): SlackFileError | null {
  const never = { retry: 'never' as const };
  if (file.isExternal || file.mode === 'external')
    return new SlackFileError('SLACK_FILE_EXTERNAL', `${file.id} is a link`, never);
  if (file.mode === 'tombstone')
    return new SlackFileError('SLACK_FILE_DELETED', `${file.id} was deleted`, never);
  if (file.mode === 'hidden_by_limit')
    return new SlackFileError('SLACK_FILE_HIDDEN', `${file.id} is hidden by the plan`, never);
  if (file.fileAccess === 'access_denied')
    return new SlackFileError('SLACK_FILE_DENIED', `${file.id} may not be read`, never);
  if (file.fileAccess === 'file_not_found')
    return new SlackFileError('SLACK_FILE_DELETED', `${file.id} is not there`, never);
  if (file.mode !== null && file.mode !== 'file_access' && !DOWNLOADABLE.has(file.mode))
    return new SlackFileError('SLACK_FILE_UNSUPPORTED', `${file.id} is a ${file.mode}`, never);
  return null;
}

/** Whether a web page is what the file itself is. */
export function isWebPage(file: SharedFile): boolean {
  return /html/i.test(file.mimetype ?? '') || /^x?html?$/i.test(file.filetype ?? '');
}
