import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemRandom } from '../../base/index.ts';
import type { Playground } from '../playground.ts';
import { answerPage } from './answer-page.ts';
import { readCast } from './cast.ts';
import { listenOnPort, type PageAddress } from './listen-on-port.ts';
import { createLiveParts } from './live-parts.ts';
import { createPageParts } from './page-parts.ts';
import { createUploadShelf } from './upload-shelf.ts';

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

/** At most ten updates a second go to a page. */
const MIN_MS_BETWEEN_UPDATES = 100;
/** The interval of gauge readings while idle, in milliseconds: the gauge's window keeps moving. */
const GAUGE_EVERY_MS = 500;

/** Serves the page on 127.0.0.1 only. Uses any free port if `port` is 0 or taken. */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const { clock, port, slack, service, app } = options;
  const shelf = createUploadShelf(options.uploadsDir, systemRandom);
  const pageParts = createPageParts({ slack, service, app, cast: await readCast(slack) });
  const live = createLiveParts({ read: pageParts.read, clock, everyMs: MIN_MS_BETWEEN_UPDATES });
  const unwatch = [
    slack.onChange((change) => {
      pageParts.noticed(change);
      live.touch();
    }),
    service.requests.onRequest(live.touch),
    app.onChange(live.touch),
  ];
  const server = createServer();
  const address = await listenOnPort(server, port);
  const answer = answerPage({ slack, service, app, shelf, live });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response);
  });
  const stopping = new AbortController();
  const ticking = tick(live, clock, stopping.signal);
  return {
    ...address,
    stop: async () => {
      stopping.abort(new Error('The page server is being stopped'));
      for (const end of unwatch) end();
      server.close();
      server.closeAllConnections();
      await Promise.all([ticking, live.stop()]);
    },
  };
}

async function tick(
  live: { touch(): void; listeners(): number },
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(GAUGE_EVERY_MS, signal).catch(() => undefined);
    if (live.listeners() > 0) live.touch();
  }
}
