import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SlackContext } from '../context.ts';
import type { SlackFile } from '../slack-types.ts';
import { bearerToken } from '../web-api/api-method.ts';
import type { FaultInjector } from '../web-api/faults.ts';
import type { DownloadFault } from './file-object.ts';
import type { StoredFile } from './file-store.ts';

const PATH = /^\/(files-pri|files-origin|files-signed)\/[^/]+-(F[0-9A-Z]+)\/(?:download\/)?[^/]*$/;

export interface Downloads {
  /**
   * Serves a file if the request's token may see it, else redirects to the sign-in page, which
   * responds 200 with HTML (https://docs.slack.dev/reference/objects/file-object,
   * "Authentication"). Resolves with false if the path is not a file's.
   */
  serve(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether an address redirects to a second that also needs the token, as in Enterprise Grid. */
  setRedirects(on: boolean): void;
}

export function createDownloads(
  context: SlackContext,
  faults: Pick<FaultInjector, 'readsFiles' | 'downloads'>,
): Downloads {
  const { origin, signedOrigin, files } = context;
  let redirects = false;
  return {
    serve: async (request, response) => {
      const path = new URL(request.url ?? '/', origin).pathname;
      const [, stage, id = ''] = PATH.exec(path) ?? [];
      if (!stage) return false;
      const token = stage === 'files-signed' ? context.keys.botToken : bearerToken(request);
      const record = faults.readsFiles() ? await visibleFile(context, token, id) : undefined;
      const file = files.find(id);
      const fault =
        file && stage !== 'files-signed' ? nextFault(file, faults.downloads()) : undefined;
      if (!record || !file || fault?.answer === 'sign-in') {
        redirect(response, `${origin}/?redir=${encodeURIComponent(path)}`);
      } else if (fault?.answer === 'signed') {
        redirect(response, signedOrigin + path.replace('/files-pri/', '/files-signed/'));
      } else if (stage === 'files-pri' && redirects) {
        redirect(response, origin + path.replace('/files-pri/', '/files-origin/'));
      } else {
        const mimetype = file.mimetype ?? record.mimetype ?? 'application/octet-stream';
        await send(file, () => files.open(file), { request, response, mimetype, fault });
      }
      return true;
    },
    setRedirects: (on) => {
      redirects = on;
    },
  };
}

/** Responds with the page that Slack shows to anybody not signed in. */
export function sendSignInPage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end('<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>');
}

async function send(
  file: StoredFile,
  open: () => Readable,
  to: {
    request: IncomingMessage;
    response: ServerResponse;
    mimetype: string;
    fault: DownloadFault | undefined;
  },
): Promise<void> {
  const { request, response, mimetype, fault } = to;
  if (file.deleted || typeof fault?.answer === 'number') {
    response.writeHead(typeof fault?.answer === 'number' ? fault.answer : 404).end();
  } else if (fault?.answer === 'html') {
    sendSignInPage(response);
  } else if (fault) {
    response.setHeader('content-type', mimetype);
    await sendPart(response, open(), { size: file.size, ...fault });
  } else {
    response.writeHead(200, { 'content-type': mimetype, 'content-length': file.size });
    if (request.method === 'HEAD') response.end();
    else await pipeline(open(), response).catch(() => response.destroy());
  }
}

async function sendPart(
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

/** Counts a request for a file's bytes, and returns what is to go wrong with it. */
function nextFault(file: StoredFile, ofAll: DownloadFault | undefined): DownloadFault | undefined {
  file.downloads += 1;
  const fault = file.variant.download ?? ofAll;
  return fault && file.downloads <= (fault.times ?? Infinity) ? fault : undefined;
}

async function visibleFile(
  { emulator, directory, files }: SlackContext,
  token: string,
  id: string,
): Promise<SlackFile | undefined> {
  const account = directory.accountOfToken(token);
  if (!account) return undefined;
  if (files.find(id)?.deleted) return { id };
  const response = await emulator.call('files.info', { file: id }, account);
  return response.ok ? (response['file'] as SlackFile) : undefined;
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}
