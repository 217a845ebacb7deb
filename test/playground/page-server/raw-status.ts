import { request } from 'node:http';

/**
 * Returns the status of a GET whose path and `Host` are sent unchanged; `fetch` would correct both.
 */
export function rawStatus(
  address: string,
  { path = '/', host }: { path?: string; host?: string },
): Promise<number | undefined> {
  const { hostname, port } = new URL(address);
  const headers = host === undefined ? {} : { host };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
