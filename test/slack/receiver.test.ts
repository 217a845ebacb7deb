import type { App, SocketModeReceiver } from '@slack/bolt';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { signatureHeaders } from '../../src/playground/embedded-slack/to-app/signing.ts';
import { createReceiver } from '../../src/slack/receiver.ts';
import { createListLogger } from '../support/list-logger.ts';
import { startServer } from '../support/start-server.ts';

const SECRET = 'signing-secret';
/** As Bolt counts, before it takes a request for forgotten. */
const PATIENCE_MS = 3_001;

/** The receiver of these credentials, and what it logs. */
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
  });
  return { ...inlet, lines };
}

/** The receiver over HTTP before an app that does this with an event; its timers are the test's. */
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
  const told = () => lines.filter(({ level }) => level === 'warn' || level === 'error');
  return { post, told };
}

it('over HTTP says nothing of its own of an event that must be delivered again', async () => {
  const { post, told } = await started(() => Promise.reject(new Error('logged by its listener')));
  expect((await post()).status).toBe(500);
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(told()).toEqual([]);
});

it('over HTTP refuses what is not answered in time, in words that say what follows', async () => {
  const reached = Promise.withResolvers<void>();
  const { post, told } = await started(() => {
    reached.resolve();
    return new Promise(() => undefined);
  });
  const answered = post();
  await reached.promise;
  vi.advanceTimersByTime(PATIENCE_MS);
  expect((await answered).status).toBe(503);
  expect(told()).toMatchObject([
    { text: expect.stringMatching(/not answered within 3 seconds.*delivers an event again/) },
  ]);
});

it.each(['{"type":"events_api","envelope_id":"1","payload":{"type":"app_rate_limited"}}', 'null'])(
  'in Socket Mode leaves a message that makes no sense, and says so: %s',
  async (message) => {
    const { receiver, lines } = createLogged({ appToken: 'xapp-1', signingSecret: null });
    const { client } = receiver as SocketModeReceiver;
    client.emit('ws_message', message, false);
    await vi.waitFor(() =>
      expect(lines).toMatchObject([
        { level: 'warn', text: expect.stringContaining('could not be read') },
      ]),
    );
  },
);

it.each([
  [{ appToken: 'xapp-1', signingSecret: SECRET }, [/^SLACK_SIGNING_SECRET is not used/]],
  [{ appToken: 'xapp-1', signingSecret: null }, []],
  [{ appToken: null, signingSecret: SECRET }, []],
])('says which of two ways to connect is taken: %j', (credentials, told) => {
  const { lines } = createLogged(credentials);
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual(
    told.map((text) => ({ level: 'info', fields: {}, text: expect.stringMatching(text) })),
  );
});

it('in Socket Mode says once that there is no connection: Slack’s clients would say so twice more', async () => {
  const { connection, lines } = createLogged({ appToken: 'xapp-1', signingSecret: null });
  await connection?.open();
  await connection?.close();
  expect(lines.filter(({ level }) => level !== 'debug')).toMatchObject([
    { level: 'warn', text: expect.stringContaining('There is no connection to Slack') },
  ]);
});
