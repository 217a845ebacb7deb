import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { SharedFile } from '../core/index.ts';

/** Enough for the head of a page. */
const PEEKED_BYTES = 4 * 1024;

const BEGINNING_OF_PAGE = /^(\xEF\xBB\xBF)?\s*<(!doctype html|html)\b/i;
/** What only pages of Slack's own have in their head: its name as the title, and its own assets. */
const OF_SLACK =
  /<title>[^<]*\bSlack\s*<\/title>|slack-edge(-gov)?\.com|slack(-gov)?\.com\\?\/signin/i;

/** The body of a download, from its start, and whether it was found to be a web page. */
interface Body {
  stream: Readable;
  isPage: boolean;
}

/**
 * Resolves with the body of a download; with null if that is a web page in place of the file, such as
 * Slack's sign-in page. A page is the file only if it has the file's size, where Slack says that the
 * file is a page or does not say what it is; or if Slack says so, and the page is none of Slack's own.
 * Source files may begin like a page: they come without the label of one.
 */
export async function bodyUnlessPage(
  file: SharedFile,
  response: Readable & Pick<IncomingMessage, 'headers'>,
): Promise<Body | null> {
  const { 'content-type': type = '', 'content-length': length } = response.headers;
  const isLabelled = /text\/html/i.test(type);
  const kind = kindOf(file);
  if (isLabelled && kind === 'other') return null;
  if (file.size !== null && Number(length) === file.size)
    return { stream: response, isPage: isLabelled };
  const { beginning, body: stream } = await peek(response);
  const isPage = isLabelled || BEGINNING_OF_PAGE.test(beginning);
  const isInPlace = isPage && (kind === 'unknown' || OF_SLACK.test(beginning));
  return isInPlace ? null : { stream, isPage };
}

const ANY_MIMETYPES = new Set([null, '', 'application/octet-stream']);
const ANY_FILETYPES = new Set([null, '', 'auto', 'binary', 'undefined']);

// Until Slack has looked into a file, its type is empty or stands for any.
function kindOf({ mimetype, filetype }: SharedFile): 'page' | 'other' | 'unknown' {
  if (/html/i.test(mimetype ?? '') || /^x?html?$/i.test(filetype ?? '')) return 'page';
  return ANY_MIMETYPES.has(mimetype) && ANY_FILETYPES.has(filetype) ? 'unknown' : 'other';
}

/** Reads the beginning of a response, or all of a short one. `body`: all of it, from the start. */
async function peek(response: Readable): Promise<{ beginning: string; body: Readable }> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response.iterator({ destroyOnReturn: false })) {
    parts.push(part);
    length += part.length;
    if (length >= PEEKED_BYTES) break;
  }
  const read = Buffer.concat(parts);
  const beginning = read.toString('latin1');
  // A stream that has ended takes nothing back.
  if (response.readableEnded) return { beginning, body: Readable.from([read]) };
  response.unshift(read);
  return { beginning, body: response };
}
