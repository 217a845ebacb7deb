import { Agent, request } from 'node:http';
import { signatureHeaders } from '../../../src/playground/embedded-slack/index.ts';

export interface EventSender extends Disposable {
  /** Sends all bodies at the same moment; resolves with the milliseconds until each response. */
  sendAtOnce(url: string, bodies: readonly string[]): Promise<number[]>;
}

/** Sends events as Slack does, at first each on its own connection. */
export function createEventSender(signingSecret: string): EventSender {
  const agent = new Agent({ keepAlive: true });
  return {
    sendAtOnce: (url, bodies) =>
      Promise.all(bodies.map((body) => send(new URL('/slack/events', url), body))),
    [Symbol.dispose]: () => agent.destroy(),
  };

  function send(url: URL, body: string): Promise<number> {
    const signature = signatureHeaders(signingSecret, body, Date.now());
    const headers = { 'content-type': 'application/json', ...signature };
    return new Promise((resolve, reject) => {
      const begun = performance.now();
      const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - begun);
          else reject(new Error(`An event was answered ${response.statusCode}`));
        });
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }
}
