import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnPort, type PageAddress } from '../page-server/listen-on-port.ts';
import { PageRefusal } from '../page-server/refusal.ts';
import { isFromOwnPage } from '../page-server/same-origin.ts';
import { SECURITY_HEADERS } from '../page-server/security-headers.ts';
import { refuse, sendJson } from '../page-server/send-json.ts';
import { sendStaticFile } from '../page-server/static-files.ts';
import type { Replay } from './replay-file.ts';

interface RunningReplay {
  page: PageAddress;
  stop(): Promise<void>;
}

/** Serves the page with a replay instead of a running app; port 0 picks a free port. */
export async function startReplay(replay: Replay, port: number): Promise<RunningReplay> {
  const server = createServer((request, response) => void answer(replay, request, response));
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
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  try {
    if (!isFromOwnPage(request))
      throw new PageRefusal(403, 'Only the playground’s own page may ask.');
    if (request.method !== 'GET')
      throw new PageRefusal(
        405,
        'This is a replay: you can look at it, but nothing runs behind it.',
      );
    const [path = '/'] = (request.url ?? '/').split('?');
    if (path === '/replay.json') sendJson(response, 200, replay);
    else await sendStaticFile(path === '/' ? '/replay.html' : path, response);
  } catch (error) {
    refuse(response, error);
  }
}
