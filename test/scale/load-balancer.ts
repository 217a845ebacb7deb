import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type HttpServer, startHttpServer } from '../support/loopback.ts';

/** Stands between Slack and the instances, as a load balancer does. */
export interface LoadBalancer extends HttpServer {
  /** The ports of the instances, which take turns. */
  ports: number[];
}

/**
 * Sends each request to the next instance in turn, or to the one after it if that cannot be
 * reached. Also sends every `duplicateEvery`-th to a second instance at the same time. Returns the
 * first one's response, or 502 if none can be reached.
 */
export async function startLoadBalancer(duplicateEvery: number): Promise<LoadBalancer> {
  const ports: number[] = [];
  let count = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    count += 1;
    const turn = count;
    const send = forward(request, await text(request));
    const both = turn % duplicateEvery === 0 ? [turn, turn + 1] : [turn];
    const sent = both.map(async (one) => {
      const inTurn = ports.map((_, after) => ports[(one + after) % ports.length] ?? 0);
      for (const port of inTurn) {
        const status = await send(port);
        if (status !== null) return status;
      }
      return 502;
    });
    const [status = 502] = await Promise.all(sent);
    response.writeHead(status).end();
  };
  const server = await startHttpServer((request, response) => void answer(request, response));
  return { ...server, ports };
}

/** Forwards a request to an instance; resolves with null if it cannot be reached. */
function forward({ url = '/', headers }: IncomingMessage, body: string) {
  const kept = Object.entries(headers).filter(([name]) => /^(content-type|x-slack-)/.test(name));
  return async (port: number): Promise<number | null> => {
    try {
      const init = { method: 'POST', headers: Object.fromEntries(kept) as Record<string, string> };
      return (await fetch(`http://127.0.0.1:${port}${url}`, { ...init, body })).status;
    } catch {
      return null;
    }
  };
}
