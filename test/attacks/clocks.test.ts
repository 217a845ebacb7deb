import { expect, it } from 'vitest';
import { createClock } from '../../src/base/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { settledShare } from '../support/slack-channel.ts';
import type { AtEnd } from '../support/start-server.ts';
import {
  changeRecords,
  type ProxiedResponse,
  startRewritingProxy,
} from '../support/start-server.ts';
import { startStack } from '../support/start-stack.ts';

const YEAR_2099_MS = Date.UTC(2099, 0, 1) - Date.UTC(2026, 0, 1);
/**
 * How long the app waits for a create to take effect, in milliseconds. No test waits for the hour,
 * because the record is found first.
 */
const SETTLE_MS = { made: 3_600_000, 'not made': 4_000 };

interface Clocks {
  /** How far the service's Date header is ahead, in milliseconds; null: no header. */
  date?: number | null;
  /** How far the times of its records are ahead. */
  created?: number;
  /** How far our own clock is ahead. */
  ours?: number;
}

function withDate(answer: ProxiedResponse, ahead: number | null): ProxiedResponse {
  const { date = '', ...headers } = answer.headers;
  if (ahead === null) return { ...answer, headers };
  return {
    ...answer,
    headers: { ...headers, date: new Date(Date.parse(date) + ahead).toUTCString() },
  };
}

function withCreated(answer: ProxiedResponse, ahead: number): ProxiedResponse {
  return changeRecords(answer, (record) => {
    const at = new Date(Date.parse(`${record['created_at']}`) + ahead);
    return { ...record, created_at: at.toISOString().replace('Z', '+00:00') };
  });
}

/** Shares a file with wrong clocks. Its first create takes effect or not, and gets no response. */
async function shareOver(
  { date = 0, created = 0, ours = 0 }: Clocks,
  { isMade, atEnd }: { isMade: boolean; atEnd: AtEnd },
) {
  let lost = false;
  const proxy = await startRewritingProxy((answer) => {
    const isCreate = answer.method === 'POST' && answer.path.endsWith('/files');
    if (isMade && isCreate && !lost) {
      lost = true;
      return null;
    }
    return withCreated(withDate(answer, date), created);
  }, atEnd);
  const stack = await startStack({
    env: { FILES_ACCOUNT_URL: proxy.accountUrl },
    appOptions: {
      settleMs: SETTLE_MS[isMade ? 'made' : 'not made'],
      backoffScale: 0.05,
      clock: createClock({ wall: () => Date.now() + ours, elapsed: () => performance.now() }),
    },
  });
  atEnd(() => stack.stop());
  proxy.pointTo(stack.service.accountUrl);
  if (!isMade) stack.service.faults.next({ mode: '500' }, 1, 'create');
  const { slack } = stack;
  const files = [{ name: 'lost.pdf', bytes: 'bytes' }];
  await settledShare(slack, await slack.share({ channel: 'general', user: 'ben', files }));
  const records = stack.service.store.files(FOLDER).filter(({ name }) => name === 'lost.pdf');
  const creates = stack.service.requests.list().filter(({ operation }) => operation === 'create');
  return { records: records.length, creates: creates.length };
}

// Each mostly waits, so they run concurrently.
it.concurrent.for<[string, Clocks]>([
  ['in the year 2099', { date: YEAR_2099_MS }],
  ['an hour behind', { date: -3_600_000 }],
  ['right, and its records are 120 s behind', { created: -120_000 }],
  ['not there, and our clock is 75 s ahead', { date: null, ours: 75_000 }],
])(
  'the app finds a lost create by its record, and files once, if the service’s clock is %s',
  async ([_what, clocks], { onTestFinished: atEnd }) => {
    const made = await shareOver(clocks, { isMade: true, atEnd });
    expect(made).toEqual({ records: 1, creates: 1 });
  },
);

it.concurrent.for<[string, Clocks]>([
  ['in the year 2099', { date: YEAR_2099_MS }],
  ['right, and our clock is an hour ahead', { ours: 3_600_000 }],
])(
  'the app repeats a create that had no effect, if the service’s clock is %s',
  async ([_what, clocks], { onTestFinished: atEnd }) => {
    const { records, creates } = await shareOver(clocks, { isMade: false, atEnd });
    expect({ records, creates }).toEqual({ records: 1, creates: 2 });
  },
);
