import { webApi } from '@slack/bolt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCallError } from '../../src/slack/web-api.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';
import { person, screen } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import type { CallPlan } from '../support/throttle-calls.ts';
import { startThrottle } from '../support/throttle-calls.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

describe('a throttle that gets a Retry-After of a day', () => {
  const start = (call: (plan: CallPlan) => Promise<unknown>, count: number, plan: CallPlan) =>
    Promise.allSettled(Array.from({ length: count }, () => call(plan)));

  it('waits ten minutes, then tries one call at a time, for as long as it takes', async () => {
    const { call, pass, sent } = startThrottle();
    await Promise.all([call({ rateLimitedForMs: DAY }), pass(100)]);
    for (let round = 1; round <= 3; round += 1) {
      const waiting = start(call, 30, { latencyMs: 5 * SECOND, rateLimitedForMs: DAY });
      await pass(10 * MINUTE - 10 * SECOND);
      expect(sent).toHaveLength(round);
      await pass(12 * SECOND);
      expect(sent).toHaveLength(round + 1);
      await pass(5 * SECOND);
      expect(sent).toHaveLength(round + 1);
      const told = (await waiting).filter(({ status }) => status === 'rejected');
      expect(told).toHaveLength(29);
      expect(told[0]).toMatchObject({
        reason: { code: 'SERVICE_RATE_LIMITED', retryAfterMs: expect.closeTo(10 * MINUTE, -4) },
      });
    }
    const filed = start(call, 10, {});
    await pass(11 * MINUTE);
    expect((await filed).map(({ status }) => status)).not.toContain('rejected');
  });

  it('logs the beginning and the end, once each', async () => {
    const { logger, lines } = createListLogger();
    const { call, pass, throttle } = startThrottle({ logger });
    await Promise.all([call({ rateLimitedForMs: DAY }), pass(100)]);
    const until = new Date(throttle.state().heldUntil ?? 0).toISOString();
    void call({ rateLimitedForMs: DAY });
    await pass(10 * MINUTE);
    void call();
    await pass(11 * MINUTE);
    const said = lines.filter(({ text }) => text.startsWith('The file service'));
    expect(said.map(({ level, text, fields }) => [level, text, fields['until']])).toEqual([
      ['warn', 'The file service asks to wait (429): nothing is sent until then', until],
      ['info', 'The file service takes calls again', undefined],
    ]);
  });
});

describe('a Pigeonhole that gets a Retry-After of a day', () => {
  let stack: Stack;
  const clock = createMovableClock();
  beforeAll(async () => {
    stack = await startStack({ appOptions: { clock } });
  });
  afterAll(() => stack.stop());

  const share = (name: string) => {
    const files = [{ name, bytes: Buffer.from('ten minutes at a time') }];
    return stack.slack.share({ channel: 'general', user: 'ben', files });
  };

  it('says so in each thread and in its metrics, sends nothing more, and files when it may', async () => {
    stack.service.faults.set({ mode: '429', ms: DAY });
    const shares = [await share('first.bin'), await share('second.bin')];
    for (const posted of shares)
      await lineOf(
        stack.slack,
        posted,
        /The file service is busy\. Trying again at \d\d:\d\d UTC\.$/,
      );
    const asked = stack.service.requests.list().length;
    expect(asked).toBeLessThanOrEqual(2);
    const figures = await (await fetch(`http://127.0.0.1:${stack.port}/metrics`)).text();
    const seconds = Number(/^pigeonhole_service_wait_seconds (\S+)$/m.exec(figures)?.[1]);
    expect(seconds).toBeGreaterThan(500);
    expect(seconds).toBeLessThanOrEqual(600);
    const shown = screen(await person(stack.slack, 'ben').types('/files'));
    expect(shown).toMatch(/Try again in about (9|10) min\./);
    expect(stack.service.requests.list()).toHaveLength(asked);
    stack.service.faults.clear();
    clock.skip(11 * MINUTE + 6 * SECOND);
    for (const posted of shares) await settledShare(stack.slack, posted);
  });
});

describe('a Slack that asks to wait until the year 5340', () => {
  it('is believed for ten minutes at a time', () => {
    const error = toCallError('chat.update', new webApi.WebAPIRateLimitedError(104_611_737_600));
    expect(error).toMatchObject({ code: 'SLACK_RATE_LIMITED', retryAfterMs: 10 * MINUTE });
  });
});
