import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import http, { type RequestListener, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { listen, SERVER_LIMITS } from '../../src/http-server.ts';
import { admitRequests, BODY_LIMITS, createBodyReader } from '../../src/slack/admit-requests.ts';
import type { PortListener } from '../../src/slack/index.ts';
import { appSettings, FOLDER } from '../support/app-settings.ts';
import { createListLogger } from '../support/list-logger.ts';
import { openRaw, type RawConnection } from '../support/loopback.ts';
import { startMain } from '../support/main-process.ts';
import { settledShare } from '../support/slack-channel.ts';
import {
  chunkedEventsHead,
  eventsHead,
  forgedSignature,
  postSigned,
} from '../support/slack-requests.ts';
import { startStack } from '../support/start-stack.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEBIBYTE = 1024 ** 2;
const SECRET = 'signing-secret';

const report = (line: string) => void process.stdout.write(`      ${line}\n`);
const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;

interface PortOptions {
  limits?: Partial<typeof SERVER_LIMITS>;
  /** Responds to Slack's requests; default: at once. */
  receive?: (response: ServerResponse) => void;
  /** Responds to GET requests; default: as to any request that is not Slack's. */
  probe?: (response: ServerResponse) => void;
}

/** Starts only the port and counts what passes it: `reached` bodies, `refused` requests. */
async function startPort({ limits, receive, probe }: PortOptions = {}) {
  const reached: string[] = [];
  const refused: string[] = [];
  const receiver: RequestListener = (request, response) => {
    reached.push(String('rawBody' in request ? request.rawBody : ''));
    if (receive) receive(response);
    else response.end();
  };
  const bodies = createBodyReader(systemClock);
  const onRefused = (why: string) => void refused.push(why);
  const tools = { clock: systemClock, onRefused, isFirst: async () => true };
  const admit = admitRequests({ receiver, signingSecret: SECRET, bodies, ...tools });
  const listener: PortListener = (request, response, admitted) => {
    if (probe && request.method === 'GET') probe(response);
    else admit(request, response, admitted);
  };
  const all = { ...SERVER_LIMITS, ...limits };
  const server = await listen({ port: 0, host: '127.0.0.1', listener, limits: all, ...tools });
  onTestFinished(() => server.close());
  return { port: server.port, bodies, reached, refused };
}

const signedPost = (port: number, body: string, changed: { secret?: string; at?: number } = {}) =>
  postSigned(port, body, { secret: SECRET, ...changed });

function openMany(port: number, count: number): Promise<RawConnection[]> {
  const opened = Promise.all(Array.from({ length: count }, () => openRaw(port)));
  onTestFinished(async () => {
    for (const { socket } of await opened) socket.destroy();
  });
  return opened;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

describe('a flood of 500 bodies that never end', () => {
  const CONNECTIONS = 500;
  const PIECE = Buffer.alloc(64 * 1024, 'x');

  /** Sends a piece of each body, round after round. */
  async function flood(port: number, rounds: number, afterEach: () => Promise<void>) {
    const connections = await openMany(port, CONNECTIONS);
    const head = eventsHead(BODY_LIMITS.bodyBytes, forgedSignature());
    await Promise.all(connections.map(({ send }) => send(head)));
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(connections.map(({ send }) => send(PIECE)));
      await afterEach();
    }
    return connections;
  }

  it('makes the port hold no more than 6 MiB, and Slack’s requests get through in every round', async () => {
    const { port, bodies, reached, refused } = await startPort();
    const before = process.memoryUsage.rss();
    let [mostHeld, slowest] = [0, 0];
    const watch = setInterval(() => {
      mostHeld = Math.max(mostHeld, bodies.heldBytes());
    }, 1);
    onTestFinished(() => clearInterval(watch));
    await flood(port, 8, async () => {
      mostHeld = Math.max(mostHeld, bodies.heldBytes());
      const since = performance.now();
      expect((await signedPost(port, '{"type":"event_callback"}')).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - since);
    });
    expect(mostHeld).toBeGreaterThan(3 * MEBIBYTE);
    expect(mostHeld).toBeLessThanOrEqual(BODY_LIMITS.allBytes);
    expect(reached).toHaveLength(8);
    const crowdedOut = refused.filter((why) => why === 'crowded out').length;
    expect(crowdedOut).toBeGreaterThan(0);
    report(`bodies held at most ${mebibytes(mostHeld)}, ${crowdedOut} of 500 closed`);
    report(`process grown by ${mebibytes(process.memoryUsage.rss() - before)}, attackers included`);
    report(`slowest signed request meanwhile ${slowest.toFixed(0)} ms`);
  });

  it('does not keep the app from filing, and does not fill the log', async () => {
    const { logger, lines } = createListLogger();
    // Attackers, Slack and the app share one processor here, so Slack's timeout would measure that.
    const stack = await startStack({
      slack: { responseTimeoutMs: 60_000 },
      appOptions: { logger },
    });
    onTestFinished(() => stack.stop());
    const names = ['first.bin', 'second.bin', 'third.bin'];
    const left = [...names];
    await flood(stack.port, names.length, async () => {
      const files = [{ name: left.pop() ?? '', bytes: randomBytes(1_000) }];
      const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
      expect(posted.deliveries).toMatchObject([{ status: 200 }]);
      await settledShare(stack.slack, posted);
    });
    const filed = stack.service.store.files(FOLDER).map(({ name }) => name);
    expect(filed).toEqual(expect.arrayContaining(names));
    const told = lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(told).toMatchObject([
      { text: expect.stringMatching(/^The ledger is new, but/) },
      { text: 'Requests to the port were refused' },
    ]);
  });
});

describe('a request that is not Slack’s', () => {
  const LARGE = 3 * MEBIBYTE;

  it.each([
    ['without a signature', {}, 'not signed'],
    [
      'from the future',
      { ...forgedSignature(), 'x-slack-request-timestamp': '9999999999' },
      'sent in the future: if by Slack, check this machine’s clock',
    ],
    [
      'with a time that is none',
      { ...forgedSignature(), 'x-slack-request-timestamp': 'noon' },
      'not signed',
    ],
  ])('is refused before its body is read, and closed: %s', async (_what, headers, why) => {
    const { port, bodies, refused } = await startPort();
    const connection = await openRaw(port);
    await connection.send(eventsHead(LARGE, headers));
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1\.1 401 .*connection: close/is);
    expect(bodies.heldBytes()).toBe(0);
    expect(refused).toEqual([why]);
  });

  it('is refused likewise if it declares a larger size than any of Slack’s', async () => {
    const { port, refused } = await startPort();
    const connection = await openRaw(port);
    await connection.send(eventsHead(BODY_LIMITS.bodyBytes + 1, forgedSignature()));
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(refused).toEqual(['too large']);
  });

  it('is ended where it grows larger than any of Slack’s', async () => {
    const { port, bodies, refused } = await startPort();
    const connection = await openRaw(port);
    await connection.send(chunkedEventsHead());
    const piece = 'x'.repeat(MEBIBYTE);
    for (let n = 0; n < 6; n += 1)
      await connection.send(`${MEBIBYTE.toString(16)}\r\n${piece}\r\n`);
    await connection.closed;
    expect(refused).toEqual(['too large']);
    expect(bodies.heldBytes()).toBe(0);
  });

  it('is ended where it comes in thousands of tiny pieces, which take long to parse', async () => {
    const { port, bodies, refused } = await startPort();
    const connection = await openRaw(port);
    await connection.send(chunkedEventsHead());
    await connection.send('1\r\nx\r\n'.repeat(20_000));
    await connection.closed;
    expect(refused).toEqual(['in tiny pieces']);
    expect(bodies.heldBytes()).toBe(0);
  });

  it('reaches no handler if it is wrongly signed, while one of 4 MiB from Slack does', async () => {
    const { port, reached, refused } = await startPort();
    expect((await signedPost(port, '{}', { secret: 'another secret' })).status).toBe(401);
    expect((await signedPost(port, '{}', { at: Date.now() - 301_000 })).status).toBe(401);
    expect(refused).toEqual([
      'wrongly signed: if by Slack, check SLACK_SIGNING_SECRET',
      'sent more than five minutes ago: if by Slack, check this machine’s clock',
    ]);
    const text = 'x'.repeat(BODY_LIMITS.bodyBytes - '{"text":""}'.length);
    expect((await signedPost(port, `{"text":"${text}"}`)).status).toBe(200);
    expect(reached.map((body) => body.length)).toEqual([BODY_LIMITS.bodyBytes]);
  });

  it('may be an unsigned form only as a check of the connection', async () => {
    const { port, reached } = await startPort();
    const post = (body: string) =>
      fetch(`http://127.0.0.1:${port}/slack/events`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await post('ssl_check=1&token=old')).status).toBe(200);
    expect((await post('ssl_check=1&payload=%7B%22type%22%3A%22block_actions%22%7D')).status).toBe(
      200,
    );
    expect((await post('command=%2Ffiles')).status).toBe(401);
    expect(reached).toEqual([]);
  });
});

describe('the app’s port', () => {
  /** Records the servers that are created from now on, with their options. */
  function watchServers() {
    const made = vi.spyOn(http, 'createServer');
    syncBuiltinESMExports();
    onTestFinished(() => {
      made.mockRestore();
      syncBuiltinESMExports();
    });
    return made.mock;
  }

  it('allows ten seconds for a whole request, and checks every second', async () => {
    const { calls, results } = watchServers();
    const stack = await startStack();
    onTestFinished(() => stack.stop());
    const servers = results.map(({ value }): http.Server => value);
    const portOf = (server: http.Server) => (server.address() as AddressInfo | null)?.port;
    const at = servers.findIndex((server) => portOf(server) === stack.port);
    expect(servers[at]).toMatchObject({ requestTimeout: 10_000, headersTimeout: 10_000 });
    // A server does not expose how often it checks.
    expect(calls[at]).toMatchObject([{ connectionsCheckingInterval: 1_000 }]);
  });

  it('holds 256 connections, and closes one when another arrives', async () => {
    const { logger, lines } = createListLogger();
    const stack = await startStack({ appOptions: { logger } });
    onTestFinished(() => stack.stop());
    const refused = () => lines.filter(({ text }) => text.includes('were refused'));
    const silent = await openMany(stack.port, 255);
    await askOverAnother(stack.port);
    expect(refused()).toEqual([]);
    await askOverAnother(stack.port);
    const why = { 'too many connections': 1 };
    expect(refused()).toMatchObject([{ fields: { requests: 1, why } }]);
    await Promise.race(silent.map(({ closed }) => closed));
  });

  /**
   * Opens one more connection and gets a response on it: by then, all earlier ones have been
   * accepted.
   */
  async function askOverAnother(port: number): Promise<void> {
    const [connection] = await openMany(port, 1);
    await connection?.send('GET /healthz HTTP/1.1\r\nhost: app\r\n\r\n');
    await until(() => connection?.received().startsWith('HTTP/1.1 200 ') === true);
  }
});

describe('a slow connection', () => {
  it.each([
    ['a body that dribbles', eventsHead(BODY_LIMITS.bodyBytes, forgedSignature())],
    ['a head that dribbles', 'POST /slack/events HTTP/1.1\r\nhost: app\r\n'],
  ])('is closed after its timeout: %s', async (_what, begun) => {
    const { port, bodies, refused } = await startPort({
      limits: { requestMs: 200, lookEveryMs: 20 },
    });
    const connection = await openRaw(port);
    let closed = false;
    void connection.closed.then(() => {
      closed = true;
    });
    await connection.send(begun);
    while (!closed) {
      await connection.send('x');
      // Slow enough that the head stays within Node's size limit.
      await pause(1);
    }
    expect(connection.received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(refused).toEqual(['too slow']);
    expect(bodies.heldBytes()).toBe(0);
  });

  it('is closed silently if it sent nothing, because proxies open connections in advance', async () => {
    const { port, refused } = await startPort({ limits: { requestMs: 100, lookEveryMs: 20 } });
    const connection = await openRaw(port);
    await connection.closed;
    expect(connection.received()).toBe('');
    expect(refused).toEqual([]);
  });

  it('is closed in favour of a fast one if there are too many', async () => {
    const { port, refused } = await startPort({ limits: { connections: 20 } });
    const silent = await openMany(port, 60);
    const answered = await Promise.all(
      Array.from({ length: 10 }, () => signedPost(port, '{"type":"event_callback"}')),
    );
    expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 200));
    await Promise.all(silent.slice(0, 40).map(({ closed }) => closed));
    expect(refused.every((why) => why === 'too many connections')).toBe(true);
    expect(refused.length).toBeGreaterThanOrEqual(40);
  });

  it('is closed likewise while its responses are pending, but Slack’s are kept', async () => {
    const answer = Promise.withResolvers<void>();
    const { port, reached } = await startPort({
      limits: { connections: 20 },
      receive: (response) => answer.promise.then(() => void response.end()),
      probe: () => undefined,
    });
    const early = Array.from({ length: 5 }, () => signedPost(port, '{"type":"event_callback"}'));
    await until(() => reached.length === 5);
    const asking = await openMany(port, 60);
    await Promise.all(asking.map(({ send }) => send('GET /readyz HTTP/1.1\r\nhost: app\r\n\r\n')));
    const late = Array.from({ length: 5 }, () => signedPost(port, '{"type":"event_callback"}'));
    await until(() => reached.length === 10);
    answer.resolve();
    const answered = await Promise.all([...early, ...late]);
    expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 200));
  });
});

describe('a client that sends more requests before the response', () => {
  /** Counts the requests that Node hands on to be answered. */
  function countRequests(): () => number {
    let begun = 0;
    const count = () => {
      begun += 1;
    };
    subscribe('http.server.request.start', count);
    onTestFinished(() => void unsubscribe('http.server.request.start', count));
    return () => begun;
  }

  it('is closed at the second of thousands of requests, and the others are not read', async () => {
    const { port, refused } = await startPort({ probe: () => undefined });
    const begun = countRequests();
    const connection = await openRaw(port);
    await connection.send('GET /metrics HTTP/1.1\r\nhost: app\r\n\r\n'.repeat(2_000));
    await connection.closed;
    expect(refused).toEqual(['asked before it was answered']);
    expect(begun()).toBe(1);
  });

  it.each([
    ['without a Host header', 'GET / HTTP/1.1\r\n\r\n'],
    ['with an expectation', 'GET / HTTP/1.1\r\nhost: app\r\nexpect: n\r\n\r\n'],
    ['with a body to come', 'GET / HTTP/1.1\r\nhost: app\r\nexpect: 100-continue\r\n\r\n'],
  ])('is closed likewise if the requests are %s', async (_what, request) => {
    const { port, refused } = await startPort();
    const begun = countRequests();
    const connection = await openRaw(port);
    await connection.send(request.repeat(2_000));
    await connection.closed;
    expect(refused).toEqual(['asked before it was answered']);
    expect(begun()).toBe(1);
  });

  it('may send another on the same connection after the response', async () => {
    const { port, refused } = await startPort({ probe: (response) => void response.end('fine') });
    const connection = await openRaw(port);
    for (let times = 1; times <= 20; times += 1) {
      await connection.send('GET /healthz HTTP/1.1\r\nhost: app\r\n\r\n');
      await until(() => connection.received().split('fine').length === times + 1);
    }
    expect(refused).toEqual([]);
  });
});

describe('the app as a process of its own', () => {
  it.each([
    ['500 requests with an expectation', 'GET / HTTP/1.1\r\nhost: app\r\nexpect: n\r\n\r\n', 500],
    ['1,500 requests without a Host header', 'GET / HTTP/1.1\r\n\r\n', 1_500],
  ])('lives on after %s in one write', async (_what, request, count) => {
    const stack = await startStack();
    onTestFinished(() => stack.stop());
    await stack.stopApp();
    const app = startMain(temporaryFolder(), appSettings(stack));
    onTestFinished(() => void app.child.kill('SIGKILL'));
    const [, port] = await app.wrote(/"port":(\d+).*is running/);
    const connection = await openRaw(Number(port));
    await connection.send(request.repeat(count));
    await connection.closed;
    const secret = stack.slack.signingSecret;
    const answered = postSigned(Number(port), '{"type":"event_callback"}', { secret });
    expect((await answered).status).toBe(200);
    expect(await app.stop()).toBe(0);
  });
});

describe('the health probes', () => {
  it.each(['500', 'reset-before'] as const)(
    'use one slot of the window in 30 s while the service responds with %s',
    async (mode) => {
      let now = systemClock.now();
      const clock = { ...systemClock, now: () => now };
      const stack = await startStack({ appOptions: { clock } });
      onTestFinished(() => stack.stop());
      stack.service.faults.set({ mode });
      const spent: number[] = [];
      for (let second = 0; second < 90; second += 1) {
        const before = stack.service.requests.list().length;
        const answer = await fetch(`http://127.0.0.1:${stack.port}/readyz`);
        expect(answer.status).toBe(503);
        spent.push(stack.service.requests.list().length - before);
        now += 1_000;
      }
      const worst = Math.max(
        ...spent.map((_, at) => spent.slice(at, at + 30).reduce((sum, n) => sum + n, 0)),
      );
      expect(worst).toBe(1);
      report(`${spent.reduce((sum, n) => sum + n, 0)} places in 90 s of failing (${mode})`);
    },
  );
});

describe('the port in Socket Mode', () => {
  it.each([
    ['is this machine’s alone', {}, false],
    ['is opened to others where HOST says so', { HOST: '0.0.0.0' }, true],
  ])('%s', async (_what, env, open) => {
    const started = await startStack({ socketMode: true, env });
    onTestFinished(() => started.stop());
    const at = (host: string) =>
      fetch(`http://${host}:${started.port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    // Another address of this machine stands for one of its network.
    expect([await at('127.0.0.1'), await at('127.0.0.2')]).toEqual([true, open]);
  });
});
