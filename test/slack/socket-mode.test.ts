import { EventEmitter } from 'node:events';
import { webApi } from '@slack/bolt';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createSocketConnection } from '../../src/slack/receiver.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';
import { seededRandom } from '../support/seeded-random.ts';

const REFUSED = new webApi.WebAPIPlatformError({ ok: false, error: 'invalid_auth' });
const DOWN = new webApi.WebAPIPlatformError({ ok: false, error: 'internal_error' });

/** A client that, told to start, does what is next in `fates`: fails so, hangs, or connects. */
function world(...fates: (Error | 'connects' | 'hangs')[]) {
  const clock = createFakeClock();
  const { logger, lines } = createListLogger();
  const events = new EventEmitter();
  const starts: number[] = [];
  const start = async () => {
    starts.push(clock.now());
    const fate = fates.shift() ?? 'connects';
    if (fate === 'hangs') await new Promise((_, reject) => events.once('disconnected', reject));
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
  const told = () => lines.filter(({ level }) => level === 'warn' || level === 'error');
  return { clock, connection, starts, onReconnect, breaks, isReady, told, fates };
}

it('is ready once it is open', async () => {
  const { connection, isReady, onReconnect, told } = world();
  expect(await isReady()).toBe(false);
  await connection.open();
  expect(await isReady()).toBe(true);
  expect(onReconnect).not.toHaveBeenCalled();
  expect(told()).toEqual([]);
});

it('opens with a word about the token when Slack refuses it', async () => {
  const { connection, clock, starts } = world(REFUSED);
  const problem = { code: 'CONFIG_INVALID', message: expect.stringContaining('SLACK_APP_TOKEN') };
  await expect(connection.open()).rejects.toMatchObject(problem);
  await clock.advance(600_000);
  expect(starts).toHaveLength(1);
});

it('opens without a connection when Slack gives none now, says so at each try, and goes on', async () => {
  const { connection, clock, isReady, onReconnect, told, starts } = world(DOWN, DOWN, REFUSED);
  await connection.open();
  expect(await isReady()).toBe(false);
  expect(told()).toMatchObject([
    {
      fields: { error: { code: 'SLACK_UNREACHABLE', reason: 'internal_error' } },
      text: expect.stringMatching(/no connection to Slack/i),
    },
  ]);
  await clock.advance(30_000);
  expect(told()).toHaveLength(3);
  await clock.advance(60_000);
  expect(starts).toHaveLength(4);
  expect(await isReady()).toBe(true);
  expect(onReconnect).toHaveBeenCalledTimes(1);
});

it('waits as long as Slack asks', async () => {
  const { connection, clock, starts } = world(new webApi.WebAPIRateLimitedError(90));
  await connection.open();
  await clock.advance(89_000);
  expect(starts).toHaveLength(1);
  await clock.advance(2_000);
  expect(starts).toHaveLength(2);
});

it('connects again at once when a connection that had lasted ends, and stays ready', async () => {
  const { connection, clock, breaks, isReady, onReconnect, starts } = world();
  await connection.open();
  await clock.advance(3_600_000);
  await breaks();
  expect(starts).toHaveLength(2);
  expect(onReconnect).toHaveBeenCalledTimes(1);
  expect(await isReady()).toBe(true);
});

it('waits before it connects again when connections break as soon as they are there', async () => {
  const { connection, clock, breaks, starts } = world();
  await connection.open();
  for (let n = 0; n < 20; n += 1) {
    await breaks();
    await clock.advance(1_000);
  }
  expect(starts.length).toBeLessThan(8);
});

it('is not ready when it has had no connection for ten seconds', async () => {
  const { connection, clock, breaks, isReady, fates } = world();
  await connection.open();
  await clock.advance(3_600_000);
  fates.push(...Array.from({ length: 50 }, () => DOWN));
  await breaks();
  await clock.advance(9_000);
  expect(await isReady()).toBe(true);
  await clock.advance(1_000);
  expect(await isReady()).toBe(false);
});

it('gives up a try that neither connects nor fails', async () => {
  const { connection, clock, isReady, starts, told } = world('hangs');
  const open = connection.open();
  await clock.advance(30_000);
  await open;
  expect(told()).toMatchObject([{ fields: { error: { code: 'SLACK_UNREACHABLE' } } }]);
  await clock.advance(1_000);
  expect(starts).toHaveLength(2);
  expect(await isReady()).toBe(true);
  expect(clock.sleepers()).toBe(0);
});

it('tries no more once it is closed', async () => {
  const { connection, clock, starts } = world(DOWN);
  await connection.open();
  await connection.close();
  await clock.advance(600_000);
  expect(starts).toHaveLength(1);
});
