import { describe, expect, it, type TestContext } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import type { CreateAnswer } from '../../src/playground/file-service/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { type Change, changeRecords, startRewritingProxy } from '../support/start-server.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const AN_HOUR_MS = 3_600_000;
const LOOKS_END_MS = 30_000;

interface Changed extends Stack {
  /** Resolves when no transfer is active. */
  atRest(): Promise<void>;
}

/** Starts a stack with changed responses and a low rate limit, so that creates are batched. */
async function startChanged(
  change: Change,
  test: TestContext,
  createAnswer: CreateAnswer = 'array',
): Promise<Changed> {
  const proxy = await startRewritingProxy(change, test.onTestFinished);
  const ledgers: Ledger[] = [];
  const stack = await startStack({
    env: { FILES_RATE_LIMIT: '8/1s', FILES_ACCOUNT_URL: proxy.accountUrl },
    appOptions: {
      // A record that can be found only after this time is not found here.
      settleMs: AN_HOUR_MS,
      clock: createFastClock(4),
      aroundLedger: (ledger) => {
        ledgers.push(ledger);
        return ledger;
      },
    },
    service: { createAnswer },
  });
  test.onTestFinished(() => stack.stop());
  proxy.pointTo(stack.service.accountUrl);
  const atRest = () =>
    test.expect.poll(() => ledgers.at(-1)?.countActive(), { timeout: LOOKS_END_MS }).toBe(0);
  return { ...stack, atRest };
}

const pages = (count: number, bytes: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => ({ name: `page ${nth}.png`, bytes: bytes(nth) }));

const isCreate: (answer: Parameters<Change>[0]) => boolean = ({ method, path }) =>
  method === 'POST' && path.endsWith('/files');

/** Returns how many pages exist, and how many creates made them. */
function made({ service }: Stack): { pages: number; creates: number } {
  const records = service.store.files(FOLDER).filter(({ name }) => name.startsWith('page '));
  const creates = service.requests.list().filter(({ operation }) => operation === 'create');
  return { pages: records.length, creates: creates.length };
}

async function share(stack: Stack, files: { name: string; bytes: string }[]) {
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await settledShare(stack.slack, posted);
  return posted;
}

const renamed = (record: Record<string, unknown>) => ({ ...record, name: `f-${record['id']}.bin` });
const STRANGER = {
  id: 1,
  name: 'other.pdf',
  byte_size: 99,
  created_at: '2020-01-01T00:00:00+00:00',
};

const CHANGES: [string, Change][] = [
  ['renamed', (answer) => changeRecords(answer, renamed)],
  [
    'renamed and without sizes',
    (answer) => changeRecords(answer, (record) => ({ ...renamed(record), byte_size: null })),
  ],
  [
    'with a record of others',
    (answer) =>
      isCreate(answer) ? changeRecords(answer, (record) => ({ ...record, ...STRANGER })) : answer,
  ],
  ['with nothing', (answer) => (isCreate(answer) ? { ...answer, text: '' } : answer)],
];

// Most of each test is waiting, so they run concurrently.
describe.concurrent('a create of several files', () => {
  it('counts as done for all of them when the response has only one record', async (test) => {
    const stack = await startChanged((answer) => answer, test, 'first');
    await share(stack, pages(12, String));
    expect(made(stack).pages).toBe(12);
    expect(made(stack).creates).toBeLessThan(12);
  });

  it.for(CHANGES)(
    'counts as done for all, and is not repeated, when the response is %s',
    async ([_how, change], test) => {
      const stack = await startChanged(change, test);
      await share(
        stack,
        pages(6, () => 'same'),
      );
      const before = made(stack);
      expect(before.pages).toBe(6);
      await stack.restart();
      await stack.atRest();
      expect(made(stack)).toEqual(before);
    },
  );

  it('leaves 60 records for 60 renamed files after a restart', async (test) => {
    const stack = await startChanged((answer) => changeRecords(answer, renamed), test);
    await share(
      stack,
      pages(60, (nth) => 'x'.repeat(nth % 7)),
    );
    await stack.restart();
    await stack.atRest();
    expect(made(stack).pages).toBe(60);
  });

  it('is reported as filed at once when no record is known, and later explains what that means', async (test) => {
    const stack = await startChanged((answer) => {
      if (isCreate(answer)) return { ...answer, text: '' };
      return answer.path.endsWith('/files') && answer.method === 'GET'
        ? { ...answer, text: '[]' }
        : answer;
    }, test);
    const posted = await share(
      stack,
      pages(2, () => 'same'),
    );
    await lineOf(stack.slack, posted, /^Filed in/);
    await stack.atRest();
    const line = await lineOf(stack.slack, posted, /didn’t say which entries/);
    expect(line.text).toContain('page 0.png, page 1.png. To delete them, do it there.');
    expect(made(stack).pages).toBe(2);
  });
});
