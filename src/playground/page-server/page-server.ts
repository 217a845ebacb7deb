import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Clock, systemRandom } from '../../base/index.ts';
import type { Playground } from '../playground.ts';
import { ACTIONS, type ActionContext } from './actions.ts';
import { HttpError, type PageAddress, sendJson, startLocalServer } from './local-server.ts';
import { createPageState } from './page-state.ts';
import { sendPageFile, sendPicture, sendServiceFile } from './send-file.ts';
import { createSlackFaults } from './slack-faults.ts';
import { createStatePublisher, type StatePublisher } from './state-updates.ts';
import { createUploadStore } from './upload-store.ts';

interface PageServerOptions extends Playground {
  /** The port to listen on; 0 is any free port. */
  port: number;
  /** An existing folder for uploaded files. */
  uploadsDir: string;
  clock: Clock;
}

/** The server behind the playground's page. */
export interface PageServer extends PageAddress {
  stop(): Promise<void>;
}

interface RequestContext extends ActionContext {
  publisher: StatePublisher;
}

/** At most ten updates a second go to a page. */
const MIN_MS_BETWEEN_UPDATES = 100;
/** How often the rate limit is read while idle, in milliseconds: its window keeps moving. */
const RATE_LIMIT_EVERY_MS = 500;

/** Serves the page on 127.0.0.1 only. Uses any free port if `port` is 0 or taken. */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const { clock, port, slack, service, app } = options;
  const uploads = createUploadStore(options.uploadsDir, systemRandom);
  const slackFaults = createSlackFaults(slack);
  const state = await createPageState({ slack, service, app }, slackFaults);
  const publisher = createStatePublisher({
    read: state.read,
    clock,
    minMsBetween: MIN_MS_BETWEEN_UPDATES,
  });
  const unsubscribes = [
    slack.onChange((change) => {
      state.onSlackChange(change);
      publisher.invalidate();
    }),
    service.requests.onRequest(publisher.invalidate),
    app.onChange(publisher.invalidate),
  ];
  const context = { slack, service, app, uploads, slackFaults, publisher };
  const { page, close } = await startLocalServer(
    (request, response) => (request.method === 'POST' ? post : get)(context, request, response),
    port,
  );
  const stopping = new AbortController();
  const refreshing = refreshRateLimit(publisher, clock, stopping.signal);
  return {
    ...page,
    stop: async () => {
      stopping.abort(new Error('The page server is being stopped'));
      for (const unsubscribe of unsubscribes) unsubscribe();
      close();
      await Promise.all([refreshing, publisher.stop()]);
    },
  };
}

async function refreshRateLimit(
  publisher: StatePublisher,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(RATE_LIMIT_EVERY_MS, signal).catch(() => undefined);
    if (publisher.subscribers() > 0) publisher.invalidate();
  }
}

async function get(
  { publisher, service, uploads }: RequestContext,
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET') throw new HttpError(405, 'Only GET and POST are understood here.');
  const [path = '/'] = url.split('?');
  const [, folder, id = ''] = path.split('/');
  if (path === '/events') streamState(publisher, response);
  else if (folder === 'service-files') await sendServiceFile(service, Number(id), response);
  else if (folder === 'pictures') await sendPicture(uploads, id, response);
  else await sendPageFile(path, response);
}

/** Sends the state and its changes as server-sent events until the page disconnects. */
function streamState(publisher: StatePublisher, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  // The browser reconnects after 1 s instead of its longer default.
  response.write('retry: 1000\n\n');
  const unsubscribe = publisher.subscribe((update) => {
    response.write(`event: state\ndata: ${JSON.stringify(update)}\n\n`);
  });
  response.on('close', unsubscribe);
}

async function post(
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
  const name = pathname.replace('/api/', '');
  const result =
    name === 'upload'
      ? await upload(context, request, searchParams)
      : await act(context, request, name);
  context.publisher.invalidate();
  sendJson(response, 200, result);
}

async function upload(
  { uploads }: RequestContext,
  request: IncomingMessage,
  query: URLSearchParams,
) {
  const name = query.get('name') ?? '';
  if (!name) throw new HttpError(400, 'The file has no name.');
  const mimetype = request.headers['content-type'] ?? 'application/octet-stream';
  return { upload: await uploads.receive({ name, mimetype }, request) };
}

async function act(context: RequestContext, request: IncomingMessage, name: string) {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new HttpError(404, 'There is no such action.');
  return action(await readJson(request), context);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse(await text(request));
  } catch {
    throw new HttpError(400, 'The request is not JSON.');
  }
}
