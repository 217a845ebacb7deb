import type { ServerResponse } from 'node:http';
import type { LiveParts } from './live-parts.ts';
import type { PartsUpdate } from './parts.ts';

/** Sends the parts and their changes as server-sent events until the page disconnects. */
export function streamParts(live: LiveParts, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  // The browser reconnects after 1 s instead of its longer default.
  response.write('retry: 1000\n\n');
  const send = (update: PartsUpdate) => {
    response.write(`event: parts\ndata: ${JSON.stringify(update)}\n\n`);
  };
  const leave = live.listen(send);
  response.on('close', leave);
}
