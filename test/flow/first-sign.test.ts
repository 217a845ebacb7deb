import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../src/app-options.ts';
import { slackFetch, type WebFetch } from '../../src/slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { threadOf } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let clock: FakeClock;
let stack: Stack;
beforeEach(() => {
  clock = createFakeClock(Date.now());
});
afterEach(() => ending(stack.stop()));

/** Lets time pass until the stop has ended: a line may still wait for a name and its slot. */
async function ending(stop: Promise<void>): Promise<void> {
  let hasEnded = false;
  const ended = stop.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) await clock.advance(100);
  await ended;
}

function share(count: number) {
  const files = Array.from({ length: count }, (_, index) => ({ name: `${index}.txt`, bytes: 'x' }));
  return stack.slack.share({ channel: 'general', user: 'ben', files });
}

it('a share gets its reaction within two seconds, however many files wait ahead of it', async () => {
  stack = await startStack({ service: { clock }, appOptions: { clock, graceMs: 0 } });
  stack.service.faults.set({ mode: 'slow', ms: 20_000 });
  await share(100);
  await reactionWithinTwoSeconds(await share(1));
});

it('a share gets its reaction while Slack leaves the calls for three others unanswered', async () => {
  const answered = Promise.withResolvers<void>();
  let held = 3;
  const slack: WebFetch = async (address, init) => {
    if (String(address).endsWith('/reactions.add') && held > 0) {
      held -= 1;
      await answered.promise;
    }
    return slackFetch(address, init);
  };
  const network = { ...DEFAULT_OPTIONS.network, slack };
  stack = await startStack({ service: { clock }, appOptions: { clock, network, graceMs: 0 } });
  stack.service.faults.set({ mode: 'slow', ms: 20_000 });
  for (let others = held; others > 0; others -= 1) await share(1);
  await reactionWithinTwoSeconds(await share(1));
  answered.resolve();
});

async function reactionWithinTwoSeconds({ ts }: { ts: string }): Promise<void> {
  await clock.advance(2_000);
  await stack.slack.until(async () => {
    const messages = await stack.slack.state('general');
    return messages.find((one) => one.ts === ts)?.reactions?.length;
  });
}

it('a new process soon updates the line of a waiting file with its place in line', async () => {
  stack = await startStack({
    service: { clock, rateLimit: { requests: 5, windowMs: 10_000 } },
    env: { FILES_RATE_LIMIT: '5/10s' },
    appOptions: { clock, graceMs: 0 },
  });
  await share(8);
  const last = await share(1);
  const line = async () => (await threadOf(stack.slack, last)).at(-1)?.text;
  const filed = () => stack.service.store.files(FOLDER).length;
  /** Lets time pass until there is something to see. */
  const passing = async <T>(look: () => Promise<T>) => {
    for (;;) {
      const seen = await look();
      if (seen) return seen;
      await clock.advance(100);
    }
  };
  const before = await passing(line);
  expect(before).toContain('in line');
  const filedBefore = filed();
  await passing(async () => filed() > filedBefore);
  await ending(stack.stopApp());
  expect(await line()).toBe(before);
  await stack.startApp();
  // No later than that, so that it is not its own turn that changes the line.
  await clock.advance(5_000);
  await stack.slack.until(async () => (await line()) !== before);
});
