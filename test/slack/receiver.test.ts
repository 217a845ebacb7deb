import type { App, SocketModeReceiver } from '@slack/bolt';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { signatureHeaders } from '../../src/playground/embedded-slack/to-app/signing.ts';
import { createReceiver } from '../../src/slack/receiver.ts';
import { createListLogger } from '../support/list-logger.ts';
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
