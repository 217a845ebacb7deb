import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startReplay } from '../../../src/playground/replay/replay-server.ts';
import { SMALL_REPLAY } from './small-replay.ts';

async function started(port = 0) {
  const running = await startReplay(SMALL_REPLAY, port);
  onTestFinished(() => running.stop());
  return running.page;
}

it('a replay server serves the page, its files, and the events', async () => {
  const { address, movedFrom } = await started();
  const page = await fetch(address);
  expect(await page.text()).toContain('Pigeonhole replay');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await fetch(`${address}replay.js`)).status).toBe(200);
  expect(await (await fetch(`${address}replay.json`)).json()).toEqual(SMALL_REPLAY);
  expect((await fetch(`${address}events`)).status).toBe(404);
  expect(movedFrom).toBeNull();
});

it('a replay server says that no app runs behind it, and refuses other sites', async () => {
  const { address } = await started();
  const origin = address.slice(0, -1);
  const press = await fetch(`${address}api/press`, { method: 'POST', headers: { origin } });
  expect(press.status).toBe(405);
  expect(await press.json()).toMatchObject({ error: expect.stringContaining('replay') });
  const foreign = { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' } };
  expect((await fetch(`${address}replay.json`, foreign)).status).toBe(403);
});

it('a replay server takes another port if its own is taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  expect((await started(port)).movedFrom).toBe(port);
});
