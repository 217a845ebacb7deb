import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { sendPicture, sendServiceFile } from './downloads.ts';
import { streamParts } from './event-stream.ts';
import type { LiveParts } from './live-parts.ts';
import { PAGE_ACTIONS, type PageActionParts } from './page-actions.ts';
import { PageRefusal } from './refusal.ts';
import { isFromOwnPage } from './same-origin.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { refuse, sendJson } from './send-json.ts';
import { sendStaticFile } from './static-files.ts';

interface AnswerPageParts extends PageActionParts {
  live: LiveParts;
}

/** Returns the request handler. It refuses requests from other origins with 403; never rejects. */
export function answerPage(parts: AnswerPageParts) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    try {
      if (!isFromOwnPage(request))
        throw new PageRefusal(403, 'Only the playground’s own page may ask.');
      await (request.method === 'POST' ? post : get)(parts, request, response);
    } catch (error) {
      refuse(response, error);
    }
  };
}

async function get(
  { live, service, shelf }: AnswerPageParts,
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET') throw new PageRefusal(405, 'Only GET and POST are understood here.');
  const [path = '/'] = url.split('?');
  const [, room, id = ''] = path.split('/');
  if (path === '/events') streamParts(live, response);
  else if (room === 'service-files') await sendServiceFile(service, Number(id), response);
  else if (room === 'pictures') await sendPicture(shelf, id, response);
  else await sendStaticFile(path, response);
}

async function post(
  parts: AnswerPageParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
  const name = pathname.replace('/api/', '');
  const result =
    name === 'upload'
      ? await upload(parts, request, searchParams)
      : await act(parts, request, name);
  parts.live.touch();
  sendJson(response, 200, result);
}

async function upload(
  { shelf }: AnswerPageParts,
  request: IncomingMessage,
  query: URLSearchParams,
) {
  const name = query.get('name') ?? '';
  if (!name) throw new PageRefusal(400, 'The file has no name.');
  const mimetype = request.headers['content-type'] ?? 'application/octet-stream';
  return { upload: await shelf.receive({ name, mimetype }, request) };
}

async function act(parts: AnswerPageParts, request: IncomingMessage, name: string) {
  const action = Object.hasOwn(PAGE_ACTIONS, name) ? PAGE_ACTIONS[name] : undefined;
  if (!action) throw new PageRefusal(404, 'There is no such action.');
  return action(await readJson(request), parts);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse(await text(request));
  } catch {
    throw new PageRefusal(400, 'The request is not JSON.');
  }
}
