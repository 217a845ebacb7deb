import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppOptions } from '../../src/app-options.ts';
import { aroundLedger } from '../support/around-ledger.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { NOTHING, type ShareWatch, watchShares } from '../support/watch-shares.ts';

const FILES = 200;
/** The calls after which nothing may be left to catch up. */
const ENDS = ['requestCatchUp', 'finishCatchUp'];

let stack: Stack;
let watch: ShareWatch;
/** Resolves when the last started app has caught up with all channels. */
let caughtUp = Promise.withResolvers<void>();
const appOptions: Partial<AppOptions> = {
  historyEveryMs: 1,
  aroundLedger: (ledger) =>
    aroundLedger(ledger, {
      after: async ({ method }) => {
        if (!ENDS.includes(method)) return;
        if ((await ledger.nextDue('catch-up')) === null) caughtUp.resolve();
      },
    }),
};

beforeAll(async () => {
  stack = await startStack({ appOptions, slack: { historyPageLimit: 25 } });
  watch = watchShares(stack.slack, stack.service);
  await caughtUp.promise;
});
afterAll(() => stack.stop());

/**
 * Shares files without events: in the channel itself, and in threads from before and during the
 * absence.
 */
async function shareUnseen(oldThread: string): Promise<Set<string>> {
  const quiet = new Set<string>();
  let thread = oldThread;
  for (let n = 0; watch.files() < FILES; n += 1) {
    const files = Array.from({ length: n % 10 === 0 ? 4 : 1 }, (_, i) => ({
      name: `away ${n} ${i}.bin`,
      bytes: randomBytes(200 + n),
    }));
    const place = n % 4 === 1 ? { threadTs: thread } : {};
    const share = { channel: 'general', user: 'ben', deliver: false, files, ...place };
    const { ts } = await watch.share(share);
    if (n % 20 === 0) thread = ts;
    quiet.add(ts);
  }
  return quiet;
}

const reports = async () =>
  (await stack.slack.state('general')).filter(({ text }) => text?.startsWith('While I was away'));

it('a catch-up files each share from while the app was away once, and reports it once', async () => {
  const { slack, service } = stack;
  const { ts } = await slack.say({ channel: 'general', user: 'cleo', text: 'a thread of before' });
  await stack.stopApp();
  const quiet = await shareUnseen(ts);
  caughtUp = Promise.withResolvers();
  await stack.startApp();
  await watch.filed(AbortSignal.timeout(90_000));
  await slack.until(async () =>
    (await reports()).some(({ text }) => text?.includes(`${watch.files()} filed`)),
  );
  expect(await watch.findings(quiet)).toEqual(NOTHING);
  const all = watch.files();
  expect((await reports()).map(({ text }) => text?.split('\n'))).toEqual([
    [
      `While I was away, ${all} files were shared here: ${all} filed.`,
      expect.stringMatching(new RegExp(`^Filed: .* and ${all - 5} more$`)),
    ],
  ]);

  await caughtUp.promise;
  const requests = service.window.statistics().total;
  await stack.stopApp();
  caughtUp = Promise.withResolvers();
  await stack.startApp();
  await caughtUp.promise;
  await stack.stopApp();
  expect(service.window.statistics().total).toBe(requests);
  expect(await reports()).toHaveLength(1);
  expect(await watch.findings(quiet)).toEqual(NOTHING);
  await stack.startApp();
}, 120_000);
