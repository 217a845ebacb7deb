import { expect, it, onTestFinished } from 'vitest';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { PROJECT, QUOTES } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { person, screen } from '../support/person.ts';
import { settledShare } from '../support/slack-channel.ts';
import { startStack } from '../support/start-stack.ts';
import type { CallPlan, SimulatedCall } from '../support/throttle-calls.ts';
import { mostPossiblyCounted, startThrottle } from '../support/throttle-calls.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const WINDOW_MS = 10 * SECOND;

type Call = (plan: CallPlan) => Promise<SimulatedCall>;

/** Makes each person ask `perSecond` times a second without waiting for responses. */
function spam(call: Call, { people, perSecond }: { people: number; perSecond: number }): void {
  for (let one = 0; one < people; one += 1)
    setInterval(
      () =>
        void call({ lane: 'interactive', queue: `spammer ${one}`, name: 'spam' }).catch(() => {}),
      SECOND / perSecond,
    );
}

/** Files `count` files one by one: an upload, and then a create. */
async function file(call: Call, count: number): Promise<number> {
  const one = async () => {
    await call({ name: 'file', latencyMs: 200 });
    await call({ name: 'file', latencyMs: 200 });
  };
  await Promise.all(Array.from({ length: count }, one));
  return Date.now();
}

it.each([
  [1, 3],
  [1, 50],
  [20, 3],
])(
  '%i people who ask %i times a second keep no file from being filed',
  async (people, perSecond) => {
    const { call, pass, sent } = startThrottle();
    spam(call, { people, perSecond });
    await pass(30 * SECOND);
    const begun = Date.now();
    const filed = file(call, 40);
    await pass(4 * MINUTE);
    const tookMs = (await filed) - begun;
    const ofFiles = sent.filter(({ name }) => name === 'file');
    console.log(`${people} × ${perSecond}/s: 40 files (80 calls) in ${tookMs / SECOND} s`);
    expect(ofFiles).toHaveLength(80);
    // What they ask beyond their shares takes turns with the filing.
    expect(tookMs).toBeLessThan((80 / 4) * WINDOW_MS + WINDOW_MS);
    expect(mostPossiblyCounted(sent, WINDOW_MS)).toBeLessThanOrEqual(25);
  },
);

it('one person who asks 50 times a second delays no other person’s response', async () => {
  const { call, pass, sent } = startThrottle();
  spam(call, { people: 1, perSecond: 50 });
  const filed = file(call, 100);
  const asked: Promise<SimulatedCall>[] = [];
  for (let second = 0; second < 120; second += 4) {
    asked.push(call({ lane: 'interactive', queue: 'ben' }));
    await pass(4 * SECOND);
  }
  await pass(2 * MINUTE);
  await filed;
  const waits = (await Promise.all(asked)).map(({ askedAt, sentAt }) => sentAt - askedAt);
  waits.sort((a, b) => a - b);
  console.log(`waits of another person: median ${waits[15]} ms, longest ${waits.at(-1)} ms`);
  expect(waits).toHaveLength(30);
  expect(waits.at(-1)).toBeLessThan(2 * SECOND);
  expect(mostPossiblyCounted(sent, WINDOW_MS)).toBeLessThanOrEqual(25);
});

it('one person who types as fast as responses come does not keep others from filing or asking', async () => {
  const stack = await startStack({
    service: { rateLimit: { requests: 25, windowMs: WINDOW_MS } },
    env: { FILES_RATE_LIMIT: '25/10s' },
  });
  onTestFinished(() => stack.stop());
  const spammer = person(stack.slack, 'cleo');
  const told: string[] = [];
  let done = false;
  const spamming = (async () => {
    for (let turn = 0; !done; turn += 1)
      told.push(screen(await spammer.types(turn % 2 === 0 ? '/folders' : '/files')));
  })();
  await stack.slack.until(() => told.length > 20);
  const files = Array.from({ length: 6 }, (_, index) => ({
    name: `${index}.bin`,
    bytes: Buffer.from(`the bytes of ${index}`),
  }));
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  const seen = screen(await person(stack.slack, 'ben').types('/files'));
  await settledShare(stack.slack, posted);
  done = true;
  await spamming;
  expect(seen).toContain('# Office move › All files');
  expect(told.filter((text) => text.includes('# ')).length).toBeGreaterThan(5);
  const statuses = new Set(stack.service.requests.list().map(({ status }) => status));
  expect(statuses).not.toContain(429);
});

it('a form that one person submits again and again takes only their share of the limit', async () => {
  const stack = await startStack({ env: { FILES_RATE_LIMIT: '25/10s' } });
  onTestFinished(() => stack.stop());
  const { slack, service } = stack;
  await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'design' });
  await slack.until(() => slack.views('ada').length > 0);
  const held = Promise.withResolvers<undefined>();
  let asked = 0;
  service.faults.intercept(() => {
    asked += 1;
    return held.promise;
  });
  const values = { [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` };
  const sent = Array.from({ length: 15 }, () => slack.submitView({ user: 'ada', values }));
  await Promise.all(sent);
  expect(asked).toBeLessThanOrEqual(Math.floor(16 * (2 / 3)));
  held.resolve(undefined);
});

it('commands that one person types without end make the app ask Slack about them only now and then', async () => {
  const clock = createMovableClock();
  const stack = await startStack({ appOptions: { clock, keepPersonMs: MINUTE } });
  onTestFinished(() => stack.stop());
  const cleo = person(stack.slack, 'cleo');
  const cleoId = stack.slack.ids.users['cleo'];
  const asked = () =>
    stack.slack.calls
      .filter(({ method, args }) => /^users/.test(method) && args['user'] === cleoId)
      .map(({ method }) => method)
      .toSorted();
  for (let turn = 0; turn < 5; turn += 1) {
    await cleo.types('/files status');
    await cleo.types('/files find plan');
  }
  expect(asked()).toEqual(['users.conversations', 'users.info']);
  clock.skip(MINUTE);
  await cleo.types('/files status');
  expect(asked()).toHaveLength(4);
});
