import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnPort, type PageAddress } from '../page-server/listen-on-port.ts';
import { forOwnPage, sendJson } from '../page-server/own-page.ts';
import { PageRefusal } from '../page-server/refusal.ts';
import { sendStaticFile } from '../page-server/static-files.ts';
import type { Replay } from './replay-file.ts';

interface RunningReplay {
  page: PageAddress;
  stop(): Promise<void>;
}

/** Serves the page with a replay instead of a running app; port 0 picks a free port. */
export async function startReplay(replay: Replay, port: number): Promise<RunningReplay> {
  const answered = forOwnPage((request, response) => answer(replay, request, response));
  const server = createServer((request, response) => void answered(request, response));
  const page = await listenOnPort(server, port);
  return {
    page,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  replay: Replay,
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET')
    throw new PageRefusal(405, 'This is a replay: you can look at it, but nothing runs behind it.');
  const [path = '/'] = url.split('?');
  if (path === '/replay.json') sendJson(response, 200, replay);
  else await sendStaticFile(path === '/' ? '/replay.html' : path, response);
}
