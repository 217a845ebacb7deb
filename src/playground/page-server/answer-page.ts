import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { sendPicture, sendServiceFile } from './downloads.ts';
import type { LiveParts } from './live-parts.ts';
import { forOwnPage, sendJson } from './own-page.ts';
import { PAGE_ACTIONS, type PageActionParts } from './page-actions.ts';
import type { PartsUpdate } from './parts.ts';
import { PageRefusal } from './refusal.ts';
import { sendStaticFile } from './static-files.ts';

interface AnswerPageParts extends PageActionParts {
  live: LiveParts;
}

/** Returns the request handler: see forOwnPage. */
export function answerPage(parts: AnswerPageParts) {
  return forOwnPage((request, response) =>
    (request.method === 'POST' ? post : get)(parts, request, response),
  );
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

/** Sends the parts and their changes as server-sent events until the page disconnects. */
function streamParts(live: LiveParts, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  // The browser reconnects after 1 s instead of its longer default.
  response.write('retry: 1000\n\n');
  const send = (update: PartsUpdate) => {
    response.write(`event: parts\ndata: ${JSON.stringify(update)}\n\n`);
  };
  const leave = live.listen(send);
  response.on('close', leave);
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
