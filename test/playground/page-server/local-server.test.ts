import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { PlaygroundError } from '../../../src/playground/errors.ts';
import { isFromOwnPage, listenOnPort } from '../../../src/playground/page-server/local-server.ts';
import { rawStatus, startedPage } from './started-page.ts';

const HOST = '127.0.0.1:4100';

test.each([
  ['the page itself', 'POST', { host: HOST, origin: `http://${HOST}` }, true],
  [
    'the page by its other name',
    'POST',
    { host: 'localhost:4100', origin: 'http://localhost:4100' },
    true,
  ],
  ['the address typed in', 'GET', { host: HOST, 'sec-fetch-site': 'none' }, true],
  [
    'a link on another site',
    'GET',
    { host: HOST, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    true,
  ],
  ['a tool without a browser', 'GET', { host: HOST }, true],
  ['another site that posts', 'POST', { host: HOST, origin: 'https://evil.example' }, false],
  ['another port of this machine', 'POST', { host: HOST, origin: 'http://127.0.0.1:9999' }, false],
  ['a page without an origin', 'POST', { host: HOST, origin: 'null' }, false],
  ['a post without an origin', 'POST', { host: HOST }, false],
  ['a name that leads to this machine', 'GET', { host: 'evil.example:4100' }, false],
  [
    'that name, as its own origin',
    'POST',
    { host: 'evil.example', origin: 'http://evil.example' },
    false,
  ],
  [
    'a picture in another site',
    'GET',
    { host: HOST, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    false,
  ],
  [
    'a sibling site',
    'GET',
    { host: HOST, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    false,
  ],
])('%s', (_who, method, headers, expected) => {
  expect(isFromOwnPage({ method, headers })).toBe(expected);
});

test('the server refuses what is not from its own page, and changes nothing', async () => {
  const page = await startedPage();
  const refused = await page.act('fault', { fault: 'outage' }, { origin: 'https://evil.example' });
  expect(refused.status).toBe(403);
  expect(page.service.faults.current()).toBe('none');
  expect(await rawStatus(page.page.address, { host: 'evil.example' })).toBe(403);
});

test('a port that may not be used is named, with what to do', async () => {
  const server = createServer();
  vi.spyOn(server, 'listen').mockImplementation(() => {
    setImmediate(() => server.emit('error', Object.assign(new Error('no'), { code: 'EACCES' })));
    return server;
  });
  await expect(listenOnPort(server, 80)).rejects.toThrow(
    new PlaygroundError('Port 80 can’t be used (EACCES). Choose another with --port.'),
  );
});
