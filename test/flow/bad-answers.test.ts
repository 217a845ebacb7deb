import { describe, expect, it } from 'vitest';
import { FOLDER, PROJECT, QUOTES } from '../support/app-settings.ts';
import { person, screen } from '../support/person.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import type { AtEnd } from '../support/start-server.ts';
import { type Change, type ProxiedResponse, startRewritingProxy } from '../support/start-server.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const HOUR_MS = 3_600_000;
const UNREADABLE = 'the file service sent an answer I can’t read';

type Operation = 'upload' | 'create' | 'list' | 'folders';

function operationOf({ method, path }: ProxiedResponse): Operation | null {
  const [place = ''] = path.split('?');
  if (place.endsWith('/upload.php')) return 'upload';
  if (place.endsWith('/folders')) return 'folders';
  if (!place.endsWith('/files')) return null;
  return method === 'POST' ? 'create' : 'list';
}

interface Spoilt {
  operation: Operation;
  /** Returns the text of the replaced response, which has status 200. */
  with: (answer: ProxiedResponse) => string;
  /** How many responses to replace, from the first on. Default: all. */
  times?: number;
  settleMs?: number;
}

/** Starts a stack whose service does what it is asked but responds badly. */
async function startSpoilt({ settleMs = HOUR_MS, ...spoilt }: Spoilt, atEnd: AtEnd) {
  let left = spoilt.times ?? Number.POSITIVE_INFINITY;
  const change: Change = (answer) => {
    if (operationOf(answer) !== spoilt.operation || left <= 0) return answer;
    left -= 1;
    return { ...answer, status: 200, text: spoilt.with(answer) };
  };
  const proxy = await startRewritingProxy(change, atEnd);
  const env = { FILES_ACCOUNT_URL: proxy.accountUrl };
  const stack = await startStack({ env, appOptions: { settleMs, backoffScale: 0.01 } });
  atEnd(() => stack.stop());
  proxy.pointTo(stack.service.accountUrl);
  const mend = () => {
    left = 0;
  };
  return { stack, mend };
}

const share = ({ slack }: Stack) =>
  slack.share({ channel: 'general', user: 'ben', files: [{ name: 'plan.pdf', bytes: 'hello' }] });

const requests = ({ service }: Stack, operation: Operation) =>
  service.requests.list().filter((one) => one.operation === operation).length;

const filed = ({ service }: Stack) =>
  service.store.files(FOLDER).filter(({ name }) => name === 'plan.pdf').length;

const BAD: [what: string, text: string][] = [
  ['a web page', '<!doctype html><title>Sign in</title>'],
  ['a number', '7'],
  ['nothing', ''],
];

// Most of each test is waiting, so they run concurrently.
describe.concurrent.each(BAD)('a 200 with %s', (_what, text) => {
  it('leads to a new upload when it answers one upload, and the file is filed once', async ({
    onTestFinished,
  }) => {
    const { stack } = await startSpoilt(
      { operation: 'upload', with: () => text, times: 1 },
      onTestFinished,
    );
    await settledShare(stack.slack, await share(stack));
    expect({ filed: filed(stack), uploads: requests(stack, 'upload') }).toEqual({
      filed: 1,
      uploads: 2,
    });
  });

  it('is explained in the thread when it answers every upload, and the file is filed once it ends', async ({
    onTestFinished,
  }) => {
    const { stack, mend } = await startSpoilt(
      { operation: 'upload', with: () => text },
      onTestFinished,
    );
    const posted = await share(stack);
    await lineOf(stack.slack, posted, new RegExp(`^Waiting: plan.pdf. ${UNREADABLE}`, 'i'));
    expect(requests(stack, 'create')).toBe(0);
    mend();
    await settledShare(stack.slack, posted);
    expect(filed(stack)).toBe(1);
  });

  it('leads to a look that finds the record when it answers every create, and nothing is repeated', async ({
    onTestFinished,
  }) => {
    const { stack } = await startSpoilt({ operation: 'create', with: () => text }, onTestFinished);
    await settledShare(stack.slack, await share(stack));
    expect({ filed: filed(stack), creates: requests(stack, 'create') }).toEqual({
      filed: 1,
      creates: 1,
    });
  });

  it('is reported by /files within three requests when it answers a list', async ({
    onTestFinished,
  }) => {
    const { stack } = await startSpoilt({ operation: 'list', with: () => text }, onTestFinished);
    const shown = screen(await person(stack.slack, 'ben').types('/files'));
    expect(shown).toContain(`| I couldn’t list the files: ${UNREADABLE}.`);
    expect(requests(stack, 'list')).toBeLessThanOrEqual(3);
  });
});

describe.concurrent('a malformed folder tree', () => {
  const flatCircle = [
    { id: 1, name: 'One', parent_id: 2 },
    { id: 2, name: 'Two', parent_id: 1 },
    { id: QUOTES, name: 'Quotes', parent_id: 'root' },
  ];
  const levels = 10_000;
  const deep = `${`{"id":${QUOTES},"name":"Deep","children":[`.repeat(levels)}${']}'.repeat(levels)}`;

  it.for<[string, string, string]>([
    ['with a cycle is shown', JSON.stringify(flatCircle), '| Quotes'],
    ['of 10,000 levels is shown as far as its folders have distinct ids', deep, '| Deep'],
  ])(
    '%s, and a folder in it can be linked by number',
    async ([_what, text, shows], { onTestFinished }) => {
      const { stack } = await startSpoilt(
        { operation: 'folders', with: () => text },
        onTestFinished,
      );
      const shown = screen(await person(stack.slack, 'ada').types('/folders'));
      expect(shown).toContain(shows);
      const told = await linkChannel(stack, 'design', `${PROJECT}/${QUOTES}`);
      expect(told.text).toContain('linked this channel');
      expect(requests(stack, 'folders')).toBeLessThanOrEqual(6);
    },
  );
});

describe.concurrent('list pages that repeat for ever', () => {
  const ROUND = 300;
  const round = ({ path }: ProxiedResponse) => {
    const start = Number(new URL(path, 'http://account').searchParams.get('start') ?? 0);
    const records = Array.from({ length: 100 }, (_, index) => {
      const id = 1_000 + ((start + index) % ROUND);
      return { id, name: `${id}.txt`, byte_size: 3, created_at: '2020-01-01T00:00:00+00:00' };
    });
    return JSON.stringify(records);
  };

  it('make /files show what came, and say that there may be more', async ({ onTestFinished }) => {
    const { stack } = await startSpoilt({ operation: 'list', with: round }, onTestFinished);
    const shown = screen(await person(stack.slack, 'ben').types('/files'));
    expect(shown).toMatch(/more/);
    expect(requests(stack, 'list')).toBeLessThanOrEqual(40);
  });

  it('leave a lost create unclear, and do not repeat it', async ({ onTestFinished }) => {
    const { stack, mend } = await startSpoilt(
      { operation: 'list', with: round, settleMs: 500 },
      onTestFinished,
    );
    stack.service.faults.next({ mode: 'reset-after' }, 1, 'create');
    const posted = await share(stack);
    await lineOf(stack.slack, posted, /I can’t tell whether it’s already there/);
    expect({ filed: filed(stack), creates: requests(stack, 'create') }).toEqual({
      filed: 1,
      creates: 1,
    });
    mend();
    await settledShare(stack.slack, posted);
    expect({ filed: filed(stack), creates: requests(stack, 'create') }).toEqual({
      filed: 1,
      creates: 1,
    });
  });
});
