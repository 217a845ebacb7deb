import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { apiOperation, createHttp, filesPath } from '../../src/service/http.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { startServer } from '../support/start-server.ts';
import { FILES, FOLDER, KEY } from './client-under-test.ts';

/** Starts a port that answers nothing; `heard` holds the first bytes of each connection. */
async function startHearing() {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      heard.push(bytes);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

/** Requests a list; resolves to its text, or to the error. */
function askAt(accountUrl: string): Promise<unknown> {
  const contact = 'ops@acme.example';
  const clock = createFakeClock();
  const send = createHttp({ accountUrl, apiKey: KEY, contact, clock, adapter: 'http' });
  const operation = apiOperation('GET', filesPath(FOLDER));
  return send({ operation, signal: new AbortController().signal }).then(
    ({ text }) => text,
    (error: unknown) => error,
  );
}

let proxy: Awaited<ReturnType<typeof startHearing>>;

beforeEach(async () => {
  proxy = await startHearing();
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
    const value = name === 'NO_PROXY' ? '' : `http://${proxy.address}`;
    vi.stubEnv(name, value);
    vi.stubEnv(name.toLowerCase(), value);
  }
  return () => void vi.unstubAllEnvs();
});

test('a proxy of the environment is sent no request, and so not the key', async () => {
  const asked: unknown[] = [];
  const account = await startServer(({ url, headers }, response) => {
    asked.push([url, headers['x-api-key']]);
    response.end('[]');
  });
  const answer = await askAt(account);
  expect(proxy.heard.map(String)).toEqual([]);
  expect(answer).toBe('[]');
  expect(asked).toEqual([[`/api/v3${FILES}`, KEY]]);
});

test('a proxy of the environment is not asked for a tunnel to an account behind TLS', async () => {
  const account = await startHearing();
  await askAt(`https://${account.address}`);
  expect(proxy.heard.map(String)).toEqual([]);
  // The first byte of a TLS handshake.
  expect(account.heard.map(([first]) => first)).toEqual([0x16]);
});
