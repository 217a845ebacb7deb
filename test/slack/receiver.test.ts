import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type App, type SocketModeReceiver, webApi } from '@slack/bolt';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { signatureHeaders } from '../../src/playground/embedded-slack/index.ts';
import { createReceiver, createSocketConnection } from '../../src/slack/receiver.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startServer } from '../support/start-server.ts';

const SECRET = 'signing-secret';
/** How long Bolt waits before it takes a request as unhandled. */
const PATIENCE_MS = 3_001;

/** Creates the receiver for these credentials; `lines` has what it logs. */
function createLogged(credentials: { appToken: string | null; signingSecret: string | null }) {
  const { logger, lines } = createListLogger();
  const inlet = createReceiver({
    ...credentials,
    slackApiUrl: 'http://127.0.0.1:9/',
    clock: systemClock,
    random: systemRandom,
    logger,
    fetch,
    onReconnect: () => undefined,
    onRefused: () => undefined,
    isFirst: async () => true,
  });
  return { ...inlet, lines };
}

/** Starts the HTTP receiver before an app with this `processEvent`, on fake timers. */
async function started(processEvent: () => Promise<void>) {
  const { receiver, requestListener, lines } = createLogged({
    appToken: null,
    signingSecret: SECRET,
  });
  receiver.init({ processEvent } as Pick<App, 'processEvent'> as App);
  const origin = await startServer(requestListener ?? (() => undefined));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const body = JSON.stringify({ type: 'event_callback', event: { type: 'message' } });
  const headers = signatureHeaders(SECRET, body, Date.now());
  const json = { 'content-type': 'application/json' };
  const post = () =>
    fetch(`${origin}/slack/events`, { method: 'POST', body, headers: { ...headers, ...json } });
  const warnings = () => lines.filter(({ level }) => level === 'warn' || level === 'error');
  return { post, warnings };
}

it('the HTTP receiver answers a failed event with 500, and logs nothing itself', async () => {
  const { post, warnings } = await started(() =>
    Promise.reject(new Error('logged by its listener')),
  );
  expect((await post()).status).toBe(500);
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(warnings()).toEqual([]);
});

it('the HTTP receiver answers an unhandled request with 503, and logs what follows', async () => {
  const reached = Promise.withResolvers<void>();
  const { post, warnings } = await started(() => {
    reached.resolve();
    return new Promise(() => undefined);
  });
  const answered = post();
  await reached.promise;
  vi.advanceTimersByTime(PATIENCE_MS);
  expect((await answered).status).toBe(503);
  expect(warnings()).toMatchObject([
    { text: expect.stringMatching(/not answered within 3 seconds.*delivers an event again/) },
  ]);
});

it.each(['{"type":"events_api","envelope_id":"1","payload":{"type":"app_rate_limited"}}', 'null'])(
  'the Socket Mode receiver skips an unreadable message, and logs that: %s',
  async (message) => {
    const { receiver, lines } = createLogged({ appToken: 'xapp-1', signingSecret: null });
    const { client } = receiver as SocketModeReceiver;
    client.emit('ws_message', message, false);
    await expect
      .poll(() => lines)
      .toMatchObject([{ level: 'warn', text: expect.stringContaining('could not be read') }]);
  },
);

it.each([
  [{ appToken: 'xapp-1', signingSecret: SECRET }, [/^SLACK_SIGNING_SECRET is not used/]],
  [{ appToken: 'xapp-1', signingSecret: null }, []],
  [{ appToken: null, signingSecret: SECRET }, []],
])('the receiver logs the unused credential only if both are set: %j', (credentials, logged) => {
  const { lines } = createLogged(credentials);
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual(
    logged.map((text) => ({ level: 'info', fields: {}, text: expect.stringMatching(text) })),
  );
});

// Slack’s clients would log it twice more.
it('the Socket Mode receiver logs a missing connection only once', async () => {
  const { connection, lines } = createLogged({ appToken: 'xapp-1', signingSecret: null });
  await connection?.open();
  await connection?.close();
  expect(lines.filter(({ level }) => level !== 'debug')).toMatchObject([
    { level: 'warn', text: expect.stringContaining('There is no connection to Slack') },
  ]);
});

const REFUSED = new webApi.WebAPIPlatformError({ ok: false, error: 'invalid_auth' });
const DOWN = new webApi.WebAPIPlatformError({ ok: false, error: 'internal_error' });

/** A connection whose client does at each start what is next in `fates`. Default: it connects. */
function connectionWith(...fates: (Error | 'connects' | 'hangs')[]) {
  const clock = createFakeClock();
  const { logger, lines } = createListLogger();
  const events = new EventEmitter();
  const starts: number[] = [];
  const start = async () => {
    starts.push(clock.now());
    const fate = fates.shift() ?? 'connects';
    if (fate === 'hangs')
      await new Promise<void>((resolve, reject) => {
        events.once('connected', resolve);
        events.once('disconnected', reject);
      });
    else if (fate !== 'connects') throw fate;
  };
  const disconnect = async () => void events.emit('disconnected');
  const onReconnect = vi.fn();
  const client = Object.assign(events, { start, disconnect });
  const options = { client, clock, random: seededRandom(1), logger, onReconnect };
  const connection = createSocketConnection(options);
  onTestFinished(() => connection.close());
  const breaks = async () => {
    events.emit('disconnected');
    await clock.advance(0);
  };
  const isReady = () =>
    connection.check().then(
      () => true,
      () => false,
    );
  const warnings = () => lines.filter(({ level }) => level === 'warn' || level === 'error');
  const said = (text: string) => lines.filter((line) => line.text === text).length;
  return { clock, client, connection, starts, onReconnect, breaks, isReady, warnings, said, fates };
}

it('a Socket Mode connection is ready once it is open', async () => {
  const { connection, isReady, onReconnect, warnings } = connectionWith();
  expect(await isReady()).toBe(false);
  await connection.open();
  expect(await isReady()).toBe(true);
  expect(onReconnect).not.toHaveBeenCalled();
  expect(warnings()).toEqual([]);
});

it('a Socket Mode connection names SLACK_APP_TOKEN if Slack refuses it, and gives up', async () => {
  const { connection, clock, starts } = connectionWith(REFUSED);
  const problem = { code: 'CONFIG_INVALID', message: expect.stringContaining('SLACK_APP_TOKEN') };
  await expect(connection.open()).rejects.toMatchObject(problem);
  await clock.advance(600_000);
  expect(starts).toHaveLength(1);
});

it('a Socket Mode connection opens while Slack is down, logs failed tries, and retries', async () => {
  const { connection, clock, isReady, onReconnect, warnings, starts, said } = connectionWith(
    DOWN,
    DOWN,
    REFUSED,
  );
  await connection.open();
  expect(await isReady()).toBe(false);
  expect(warnings()).toMatchObject([
    {
      fields: { error: { code: 'SLACK_UNREACHABLE', reason: 'internal_error' } },
      text: expect.stringMatching(/no connection to Slack/i),
    },
  ]);
  await clock.advance(30_000);
  expect(warnings()).toHaveLength(3);
  await clock.advance(60_000);
  expect(starts).toHaveLength(4);
  expect(await isReady()).toBe(true);
  expect(onReconnect).toHaveBeenCalledTimes(1);
  expect(said('There is a connection to Slack again')).toBe(1);
});

it('a Socket Mode connection waits as long as Slack asks before it retries', async () => {
  const { connection, clock, starts } = connectionWith(new webApi.WebAPIRateLimitedError(90));
  await connection.open();
  await clock.advance(89_000);
  expect(starts).toHaveLength(1);
  await clock.advance(2_000);
  expect(starts).toHaveLength(2);
});

it('a Socket Mode connection that has lasted reconnects at once and stays ready', async () => {
  const { connection, clock, breaks, isReady, onReconnect, starts } = connectionWith();
  await connection.open();
  await clock.advance(3_600_000);
  await breaks();
  expect(starts).toHaveLength(2);
  expect(onReconnect).toHaveBeenCalledTimes(1);
  expect(await isReady()).toBe(true);
});

it('a Socket Mode connection waits before it reconnects if it keeps breaking at once', async () => {
  const { connection, clock, breaks, starts } = connectionWith();
  await connection.open();
  for (let n = 0; n < 20; n += 1) {
    await breaks();
    await clock.advance(1_000);
  }
  expect(starts.length).toBeLessThan(8);
});

it('a Socket Mode connection is not ready once it has been missing for ten seconds', async () => {
  const { connection, clock, breaks, isReady, fates } = connectionWith();
  await connection.open();
  await clock.advance(3_600_000);
  fates.push(...Array.from({ length: 50 }, () => DOWN));
  await breaks();
  await clock.advance(9_000);
  expect(await isReady()).toBe(true);
  await clock.advance(1_000);
  expect(await isReady()).toBe(false);
});

it('a Socket Mode connection ends a try that neither connects nor fails, and retries', async () => {
  const { connection, clock, isReady, starts, warnings } = connectionWith('hangs');
  const open = connection.open();
  await clock.advance(30_000);
  await open;
  expect(warnings()).toMatchObject([{ fields: { error: { code: 'SLACK_UNREACHABLE' } } }]);
  await clock.advance(1_000);
  expect(starts).toHaveLength(2);
  expect(await isReady()).toBe(true);
  expect(clock.sleepers()).toBe(0);
});

it('a Socket Mode connection that came too late, and was ended, is missing', async () => {
  const { connection, clock, client, isReady, fates } = connectionWith('hangs');
  fates.push(...Array.from({ length: 50 }, () => DOWN));
  // Slack's hello arrives before its answer to the close.
  client.disconnect = async () => {
    client.emit('connected');
    await setImmediate();
    client.emit('disconnected');
  };
  const open = connection.open();
  await clock.advance(30_000);
  await open;
  await clock.advance(10_000);
  expect(await isReady()).toBe(false);
});

it('a Socket Mode connection does not retry once it is closed', async () => {
  const { connection, clock, starts } = connectionWith(DOWN);
  await connection.open();
  await connection.close();
  await clock.advance(600_000);
  expect(starts).toHaveLength(1);
});
