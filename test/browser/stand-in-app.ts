import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { EmbeddedSlack, Json } from '../../src/playground/embedded-slack/index.ts';

/** Takes the app's place: records what Slack sends, and responds with what `reply` returns. */
export interface StandInApp {
  /** Payloads of interactions and commands, in order. */
  heard: Json[];
}

/** Starts the stand-in and connects it to the Slack until the end of the test. */
export async function startStandIn(
  slack: EmbeddedSlack,
  reply: (payload: Json) => Promise<Json | undefined>,
): Promise<StandInApp> {
  const heard: Json[] = [];
  const server = createServer(async (request, response) => {
    const payload = payloadOf(await text(request), request.headers['content-type'] ?? '');
    if (payload['type'] !== 'event_callback') heard.push(payload);
    const answer = await reply(payload);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer ? JSON.stringify(answer) : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  slack.connectApp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { heard };
}

function payloadOf(body: string, type: string): Json {
  if (type.startsWith('application/json')) return JSON.parse(body);
  const fields = new URLSearchParams(body);
  const payload = fields.get('payload');
  return payload ? JSON.parse(payload) : Object.fromEntries(fields);
}
