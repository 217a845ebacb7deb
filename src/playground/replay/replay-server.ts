import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  HttpError,
  type PageAddress,
  sendJson,
  startLocalServer,
} from '../page-server/local-server.ts';
import { sendPageFile } from '../page-server/send-file.ts';
import type { Replay } from './replay-file.ts';

interface RunningReplay {
  page: PageAddress;
  stop(): Promise<void>;
}

/** Serves the page with a replay instead of a running app; port 0 picks a free port. */
export async function startReplay(replay: Replay, port: number): Promise<RunningReplay> {
  const handler = (request: IncomingMessage, response: ServerResponse) =>
    handle(replay, request, response);
  const { page, close } = await startLocalServer(handler, port);
  return { page, stop: async () => close() };
}

async function handle(
  replay: Replay,
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET')
    throw new HttpError(405, 'This is a replay: you can look at it, but nothing runs behind it.');
  const [path = '/'] = url.split('?');
  if (path === '/replay.json') sendJson(response, 200, replay);
  else await sendPageFile(path === '/' ? '/replay.html' : path, response);
}
