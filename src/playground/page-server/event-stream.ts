import type { ServerResponse } from 'node:http';
import type { LiveParts } from './live-parts.ts';
import type { PartsUpdate } from './parts.ts';

/** Tells a page of the parts, by server-sent events, until it leaves. */
export function streamParts(live: LiveParts, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  // A page that comes back after a moment need not wait long for the stream.
  response.write('retry: 1000\n\n');
  const send = (update: PartsUpdate) => {
    response.write(`event: parts\ndata: ${JSON.stringify(update)}\n\n`);
  };
  const leave = live.listen(send);
  response.on('close', leave);
}
