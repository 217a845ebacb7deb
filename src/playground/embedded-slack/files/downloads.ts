import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Directory } from '../directory.ts';
import type { Emulator } from '../emulator.ts';
import type { SlackFile } from '../slack-shapes.ts';
import type { DownloadFault } from './file-oddity.ts';
import type { FileStore, StoredFile } from './file-store.ts';

const PATH = /^\/(files-pri|files-origin)\/[^/]+-(F[0-9A-Z]+)\/(?:download\/)?[^/]*$/;

interface DownloadParts {
  emulator: Emulator;
  directory: Directory;
  files: FileStore;
  origin: string;
  /** Whether an address redirects to a second that also needs the token, as in Enterprise Grid. */
  redirects: () => boolean;
}

/**
 * Serves a file if the request's token may see it, else redirects to the sign-in page, which
 * answers 200 with HTML (https://docs.slack.dev/reference/objects/file-object, "Authentication").
 * Resolves with false if the path is not a file's.
 */
export function createDownloads(parts: DownloadParts) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const path = new URL(request.url ?? '/', parts.origin).pathname;
    const [, stage, id = ''] = PATH.exec(path) ?? [];
    if (!stage) return false;
    const record = await visibleFile(parts, tokenOf(request), id);
    const file = parts.files.find(id);
    if (!record || !file) {
      redirect(response, `${parts.origin}/?redir=${encodeURIComponent(path)}`);
    } else if (stage === 'files-pri' && parts.redirects()) {
      redirect(response, parts.origin + path.replace('/files-pri/', '/files-origin/'));
    } else {
      await serve(parts, file, { request, response, record });
    }
    return true;
  };
}

/** Responds with the page that Slack shows to anybody not signed in. */
export function signInPage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end('<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>');
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  record: SlackFile;
}

async function serve(parts: DownloadParts, file: StoredFile, exchange: Exchange): Promise<void> {
  const { request, response, record } = exchange;
  const mimetype = file.mimetype ?? record.mimetype ?? 'application/octet-stream';
  file.downloads += 1;
  const fault = faultOf(file);
  if (file.deleted || typeof fault?.answer === 'number') {
    response.writeHead(typeof fault?.answer === 'number' ? fault.answer : 404).end();
  } else if (fault?.answer === 'html') {
    signInPage(response);
  } else if (fault) {
    response.setHeader('content-type', mimetype);
    await serveBadly(response, parts.files.open(file), { size: file.size, ...fault });
  } else {
    response.writeHead(200, { 'content-type': mimetype, 'content-length': file.size });
    if (request.method === 'HEAD') response.end();
    else await pipeline(parts.files.open(file), response).catch(() => response.destroy());
  }
}

async function serveBadly(
  response: ServerResponse,
  bytes: Readable,
  { answer, after, size }: DownloadFault & { size: number },
): Promise<void> {
  // A truncated response states no length, so that only the file object's size reveals the loss.
  if (answer !== 'truncated') response.setHeader('content-length', size);
  const part = Readable.from(firstBytes(bytes, after ?? Math.floor(size / 2)));
  await pipeline(part, response, { end: answer === 'truncated' }).catch(() => undefined);
  if (answer === 'cut') response.destroy();
}

async function* firstBytes(bytes: Readable, limit: number): AsyncGenerator<Buffer> {
  let left = limit;
  for await (const chunk of bytes) {
    const part = Buffer.from(chunk).subarray(0, left);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left <= 0) return;
  }
}

function faultOf({ oddity, downloads }: StoredFile): DownloadFault | undefined {
  const fault = oddity.download;
  return fault && downloads <= (fault.times ?? Infinity) ? fault : undefined;
}

async function visibleFile(
  { emulator, directory, files }: DownloadParts,
  token: string,
  id: string,
): Promise<SlackFile | undefined> {
  const account = directory.accountOfToken(token);
  if (!account) return undefined;
  if (files.find(id)?.deleted) return { id };
  const answer = await emulator.call('files.info', { file: id }, account);
  return answer.ok ? (answer['file'] as SlackFile) : undefined;
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}

function tokenOf(request: IncomingMessage): string {
  return (request.headers.authorization ?? '').replace(/^Bearer\s*/i, '');
}
