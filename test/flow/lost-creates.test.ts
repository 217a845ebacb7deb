import { describe, expect, it } from 'vitest';
import {
  type Behaviour,
  everyList,
  type ListOrder,
} from '../../src/playground/file-service/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { person, placeOfButton, screen } from '../support/person.ts';
import { seedFiles, seedWith } from '../support/seed-files.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import type { AtEnd } from '../support/start-server.ts';
import { type Change, startRewritingProxy } from '../support/start-server.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const MANY = 330;
const HOUR_MS = 3_600_000;
const NAME = 'R&D "plan" <x>.pdf';
const ORDERS: ListOrder[] = ['oldest-first', 'newest-first'];

// The last has the name and the size of the shared file.
const many = seedFiles(MANY, (nth) => ({
  name: nth === MANY - 1 ? NAME : `scan ${nth}.pdf`,
  content: 'lost',
}));
const seed = seedWith({ [FOLDER]: many });

interface Crowded {
  order: ListOrder;
  settleMs: number;
  fileNames?: Behaviour['fileNames'];
  change?: Change;
  atEnd: AtEnd;
}

/** Starts a stack whose folder has 330 files, on a paging account with the usual rate limit. */
async function startCrowded(options: Crowded): Promise<Stack> {
  const { order, settleMs, fileNames = 'plain', change = (answer) => answer, atEnd } = options;
  const proxy = await startRewritingProxy(change, atEnd);
  const listed = { listPaging: everyList('paged' as const), listOrder: everyList(order) };
  const stack = await startStack({
    service: {
      seed,
      rateLimit: { requests: 25, windowMs: 10_000 },
      behaviour: { ...listed, fileNames },
    },
    env: { FILES_RATE_LIMIT: '25/10s', FILES_ACCOUNT_URL: proxy.accountUrl },
    appOptions: { settleMs, backoffScale: 0.01 },
  });
  atEnd(() => stack.stop());
  proxy.pointTo(stack.service.accountUrl);
  return stack;
}

const share = ({ slack }: Stack, name = NAME) =>
  slack.share({ channel: 'general', user: 'ben', files: [{ name, bytes: 'lost' }] });

const creates = ({ service }: Stack) =>
  service.requests.list().filter(({ operation }) => operation === 'create');

/** Returns how many files of the name were added. */
const made = ({ service }: Stack) =>
  service.store.files(FOLDER).filter(({ name }) => name === NAME).length - 1;

// Most of each test is waiting, so they run concurrently.
describe.concurrent('a create whose response is lost, in a folder of 330 files in pages', () => {
  const cases = ORDERS.flatMap((order) =>
    (['plain', 'escaped'] as const).map((fileNames) => ({ order, fileNames })),
  );

  it.for(cases)(
    'is found and reported long before it could count as absent: $order, names $fileNames',
    async (account, test) => {
      // Only a found record can end it so soon.
      const stack = await startCrowded({
        ...account,
        settleMs: HOUR_MS,
        atEnd: test.onTestFinished,
      });
      const { slack, service } = stack;
      service.faults.next({ mode: 'reset-after' }, 1, 'create');
      const posted = await share(stack);
      await slack.until(() => creates(stack)[0]);
      const told = await lineOf(slack, posted, /^Filed in/);
      expect(told.text).toContain('plan');
      expect({ made: made(stack), creates: creates(stack).length }).toEqual({
        made: 1,
        creates: 1,
      });
    },
  );
});

describe.concurrent('a create whose response is lost, while one list page cannot be read', () => {
  // Pages overlap by a record or so.
  const IN_THE_MIDDLE = /start=(1[5-9]|2[0-4])\d\b/;

  /** Starts a service with one unreadable list page, until it is fixed. */
  async function startWithBadPage(order: ListOrder, atEnd: AtEnd) {
    const service = { isMended: false };
    const change: Change = (answer) =>
      IN_THE_MIDDLE.test(answer.path) && !service.isMended
        ? { ...answer, text: '<html>busy</html>' }
        : answer;
    const stack = await startCrowded({ order, settleMs: 1_000, change, atEnd });
    const mend = () => {
      service.isMended = true;
    };
    return { stack, mend };
  }

  const unclear = ({ slack }: Stack, posted: Awaited<ReturnType<typeof share>>) =>
    lineOf(slack, posted, /I can’t tell whether it’s already there/);

  it('is unclear when the page comes before its record, and filed once when it can be read', async ({
    onTestFinished,
  }) => {
    const { stack, mend } = await startWithBadPage('oldest-first', onTestFinished);
    stack.service.faults.next({ mode: 'reset-after' }, 1, 'create');
    const posted = await share(stack);
    await unclear(stack, posted);
    expect({ made: made(stack), creates: creates(stack).length }).toEqual({ made: 1, creates: 1 });
    mend();
    await settledShare(stack.slack, posted);
    expect({ made: made(stack), creates: creates(stack).length }).toEqual({ made: 1, creates: 1 });
  });

  it('is left in Slack as unclear, and found when somebody tries again', async ({
    onTestFinished,
  }) => {
    const { stack, mend } = await startWithBadPage('oldest-first', onTestFinished);
    stack.service.faults.next({ mode: 'reset-after' }, 1, 'create');
    const posted = await share(stack);
    await unclear(stack, posted);
    const ben = person(stack.slack, 'ben');
    const seen = await ben.types('/files status');
    expect(screen(seen)).toMatch(/\[Leave in Slack .*It may be in the folder already\./);
    expect(screen(await ben.presses(seen, 'Leave in Slack'))).toContain('All filed');
    const line = await lineOf(stack.slack, posted, /^Couldn’t be filed: .* I can’t tell whether/);
    mend();
    const message = { channel: posted.channel, ts: line.ts };
    await stack.slack.press({ message, user: 'ben', ...placeOfButton(line, 'Try again') });
    await settledShare(stack.slack, posted);
    expect({ made: made(stack), creates: creates(stack).length }).toEqual({ made: 1, creates: 1 });
  });

  it('is found when its record comes before the page, as a record is proof', async ({
    onTestFinished,
  }) => {
    const { stack } = await startWithBadPage('newest-first', onTestFinished);
    stack.service.faults.next({ mode: 'reset-after' }, 1, 'create');
    await settledShare(stack.slack, await share(stack));
    expect({ made: made(stack), creates: creates(stack).length }).toEqual({ made: 1, creates: 1 });
  });

  it.for(ORDERS)(
    'is repeated once the page can be read, when nothing was made: %s',
    async (order, { onTestFinished }) => {
      const { stack, mend } = await startWithBadPage(order, onTestFinished);
      // This gives a known record, by whose id older records are recognized.
      await settledShare(stack.slack, await share(stack, 'the first of ours.txt'));
      const before = creates(stack).length;
      stack.service.faults.next({ mode: 'reset-before' }, 1, 'create');
      const posted = await share(stack);
      await unclear(stack, posted);
      expect(made(stack)).toBe(0);
      expect(creates(stack)).toHaveLength(before + 1);
      mend();
      await settledShare(stack.slack, posted);
      expect(made(stack)).toBe(1);
      expect(creates(stack)).toHaveLength(before + 2);
    },
  );
});
