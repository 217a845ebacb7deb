import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createRefusalLog, listen } from '../src/http-server.ts';
import { createFakeClock } from './support/fake-clock.ts';
import { createListLogger } from './support/list-logger.ts';
import { running } from './support/running.ts';

async function started(listener: RequestListener = () => undefined) {
  const clock = createFakeClock();
  const server = await listen({ port: 0, host: '127.0.0.1', listener, clock });
  return { clock, server };
}

async function connection(port: number) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

it('the server’s close does not wait for connections opened in advance and never used', async () => {
  const { server } = await started();
  const socket = await connection(server.port);
  const cut = once(socket, 'close');
  await server.close();
  await cut;
});

it('the server’s close cuts a half-sent request after five seconds', async () => {
  const arrived = Promise.withResolvers<void>();
  const { clock, server } = await started(() => arrived.resolve());
  const socket = await connection(server.port);
  socket.write('POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
  await arrived.promise;
  const cut = once(socket, 'close');
  const closed = server.close();
  await clock.advance(4_999);
  expect(socket.closed).toBe(false);
  await clock.advance(1);
  await Promise.all([closed, cut]);
});

it('the server’s close lets a request in hand get its response, and waits no longer than that', async () => {
  const answer = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const { clock, server } = await started(async (_request, response) => {
    arrived.resolve();
    await answer.promise;
    response.end('done');
  });
  const asked = fetch(`http://127.0.0.1:${server.port}/`);
  await arrived.promise;
  const closed = server.close();
  answer.resolve();
  expect(await (await asked).text()).toBe('done');
  await closed;
  expect(clock.sleepers()).toBe(0);
});

it('the server keeps an idle connection open for longer than routers in front use it again', async () => {
  const { server } = await started((_request, response) => void response.end());
  const { headers } = await fetch(`http://127.0.0.1:${server.port}/`);
  expect(headers.get('keep-alive')).toBe('timeout=95');
  await server.close();
});

it('the server names the port that it cannot have', async () => {
  const { server, clock } = await started();
  const again = listen({ port: server.port, host: '127.0.0.1', listener: () => undefined, clock });
  await expect(again).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(again).rejects.toThrow(
    `PORT ${server.port} is in use. Stop what uses it, or set another (EADDRINUSE).`,
  );
  await server.close();
});

it('the server reports that HOST is no address of this machine', async () => {
  // An address that is assigned to nobody (RFC 5737).
  const options = { port: 0, host: '192.0.2.1', listener: () => undefined };
  const listening = listen({ ...options, clock: createFakeClock() });
  await expect(listening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(listening).rejects.toThrow(
    'HOST 192.0.2.1 cannot be used. Set an address of this machine (EADDRNOTAVAIL).',
  );
});

it('the server goes on after connections that could not be accepted, and reports each', async () => {
  const onRefused = vi.fn();
  const listener: RequestListener = (_request, response) => void response.end();
  const options = { port: 0, host: '127.0.0.1', listener, clock: createFakeClock(), onRefused };
  const { port, close } = await listen(options);
  // Node names the server of each request there.
  const fail = (started: unknown) => {
    const { server } = started as { server: Server };
    const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
    server.emit('error', error);
  };
  subscribe('http.server.request.start', fail);
  onTestFinished(() => void unsubscribe('http.server.request.start', fail));
  for (let n = 0; n < 2; n += 1) expect((await fetch(`http://127.0.0.1:${port}/`)).ok).toBe(true);
  expect(onRefused.mock.calls).toEqual([['not accepted (EMFILE)'], ['not accepted (EMFILE)']]);
  await close();
});

/** Starts a server with this listener and connects to it. */
async function connected(listener: RequestListener) {
  const { server } = await started(listener);
  const socket = await connection(server.port);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  const closed = once(socket, 'close');
  const receives = (text: string) => expect.poll(() => received).toContain(text);
  return { server, socket, closed, receives, received: () => received };
}

it('the server goes on in HTTP with a client that offers another protocol', async () => {
  const { server, socket, receives } = await connected(
    (_request, response) => void response.end('fine'),
  );
  const offer = 'host: app\r\nconnection: upgrade\r\nupgrade: h2c';
  socket.write(`GET / HTTP/1.1\r\n${offer}\r\n\r\n`);
  await receives('fine');
  socket.write(`POST / HTTP/1.1\r\n${offer}\r\ncontent-length: 4\r\n\r\nbody`);
  await receives('fineHTTP/1.1 200 OK');
  await server.close();
});

it('the server closes a connection that asks for a tunnel', async () => {
  const { server, socket, closed, received } = await connected(() => undefined);
  socket.write('CONNECT app:443 HTTP/1.1\r\nhost: app\r\n\r\n');
  await closed;
  expect(received()).toBe('');
  await server.close();
});

it('the server writes no error into a response that has begun', async () => {
  const begin: RequestListener = (_request, response) => void response.write('half');
  const { server, socket, closed, receives, received } = await connected(begin);
  socket.write('GET / HTTP/1.1\r\nhost: app\r\n\r\n');
  await receives('half');
  socket.write('no request\r\n\r\n');
  await closed;
  expect(received()).not.toContain('400');
  await server.close();
});

const MINUTE = 60_000;

function countedRefusals() {
  const clock = createFakeClock();
  const { logger, lines } = createListLogger();
  const process = running();
  return {
    clock,
    lines,
    stop: process.stop,
    count: createRefusalLog({ clock, logger, ...process }),
  };
}

it('the refusal log writes the first refused request at once, and later ones with a count each minute', async () => {
  const { clock, lines, count } = countedRefusals();
  for (let n = 0; n < 1_000; n += 1) count(n % 2 ? 'not signed' : 'too large');
  expect(lines).toMatchObject([
    { level: 'warn', fields: { requests: 1, why: { 'too large': 1 } } },
  ]);
  await clock.advance(MINUTE - 1);
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  expect(lines.slice(1)).toMatchObject([
    { fields: { requests: 999, why: { 'too large': 499, 'not signed': 500 } } },
  ]);
  count('not signed');
  expect(lines).toHaveLength(2);
  await clock.advance(MINUTE);
  expect(lines).toHaveLength(3);
});

it('the refusal log is silent without refusals, and writes at once again after a quiet minute', async () => {
  const { clock, lines, count } = countedRefusals();
  count('not signed');
  await clock.advance(10 * MINUTE);
  expect(lines).toHaveLength(1);
  expect(clock.sleepers()).toBe(0);
  count('not signed');
  expect(lines).toHaveLength(2);
});

it('the refusal log writes what is left when the process stops, and its timer ends', async () => {
  const { clock, lines, count, stop } = countedRefusals();
  for (let n = 0; n < 5; n += 1) count('too slow');
  await stop();
  count('too slow');
  expect(lines.map(({ fields }) => fields['requests'])).toEqual([1, 4]);
  expect(clock.sleepers()).toBe(0);
});
