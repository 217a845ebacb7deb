import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/**
 * Creates agents that keep idle connections for 4 s. That is less than a server's usual idle timeout
 * (5 s): a request on a connection that the server is just closing ends with an unknown outcome.
 */
export function createAgents() {
  const connections = { keepAlive: true, timeout: 4_000 };
  return { httpAgent: new HttpAgent(connections), httpsAgent: new HttpsAgent(connections) };
}
