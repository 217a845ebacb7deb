import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { wasNotSent } from '../../src/base/index.ts';
import { slackFetch } from '../../src/slack/fetch.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/start-server.ts';

const slackThat = (listener: RequestListener) => startServer(listener);

describe('slackFetch', () => {
  it('sends text with its headers, and returns the whole response', async () => {
    const url = await slackThat(async (request, response) => {
      const { method, headers } = request;
      const asked = { method, token: headers.authorization, body: await text(request) };
      response.setHeader('Retry-After', '3');
      response.writeHead(429, 'Slow down');
      response.write('{"asked":');
      response.end(`${JSON.stringify(asked)}}`);
    });
    const init = { method: 'POST', headers: { Authorization: 'Bearer x' }, body: 'é=1' };
    const answer = await slackFetch(`${url}/api/auth.test`, init);
    const { ok, status, statusText } = answer;
    expect({ ok, status, statusText }).toEqual({ ok: false, status: 429, statusText: 'Slow down' });
    expect(answer.headers.get('Retry-After')).toBe('3');
    expect(answer.headers.get('x-oauth-scopes')).toBeNull();
    expect(Object.fromEntries(answer.headers.entries())).toMatchObject({ 'retry-after': '3' });
    const asked = { method: 'POST', token: 'Bearer x', body: 'é=1' };
    expect(JSON.parse(await answer.text())).toEqual({ asked });
    expect(await answer.json()).toEqual({ asked });
  });

  it('sends the next call over the same connection', async () => {
    const ports: (number | undefined)[] = [];
    const url = await slackThat((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('{}');
    });
    await slackFetch(url);
    await slackFetch(url);
    expect(new Set(ports).size).toBe(1);
    expect(ports).toHaveLength(2);
  });

  it('follows no redirect', async () => {
    const asked: (string | undefined)[] = [];
    const url = await slackThat((request, response) => {
      asked.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await slackFetch(`${url}/api`)).toMatchObject({ ok: false, status: 302 });
    expect(asked).toEqual(['/api']);
  });

  it('rejects if the response breaks off, without claiming that nothing was sent', async () => {
    const url = await slackThat((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"ok":', () => response.destroy());
    });
    const error: unknown = await slackFetch(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(wasNotSent(error)).toBe(false);
  });

  it('rejects when its signal aborts, before and during the response', async () => {
    for (const begins of [false, true]) {
      const abort = new AbortController();
      const url = await slackThat((_request, response) => {
        if (begins) response.write('{');
        setImmediate(() => abort.abort());
      });
      await expect(slackFetch(url, { signal: abort.signal })).rejects.toThrow(/abort/);
    }
  });

  it('rejects with an error that says nothing was sent if nobody listens', async () => {
    const port = await freePort();
    const error: unknown = await slackFetch(`http://127.0.0.1:${port}/api`).catch(
      (reason: unknown) => reason,
    );
    expect(wasNotSent(error)).toBe(true);
  });
});
