import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { missingScopes } from '../../src/blocks/index.ts';
import { LedgerError } from '../../src/ledger/index.ts';
import { createDownload, type GetFile } from '../../src/slack/download.ts';
import { SlackCallError, SlackFileError } from '../../src/slack/index.ts';
import type { SharedFile } from '../../src/transfers/index.ts';
import { OperatorWatch } from '../../src/worker/index.ts';
import { sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { running } from '../support/running.ts';
import { createFakeInbox, type FakeInbox } from './fake-inbox.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let inbox: FakeInbox;
let diskIsFull: boolean;
let missing: string | null;
let logged: string[];
let watch: OperatorWatch;
let process: ReturnType<typeof running>;
beforeEach(() => {
  clock = createFakeClock();
  inbox = createFakeInbox();
  diskIsFull = false;
  [missing, logged] = [null, []];
});
afterEach(() => process.stop());

function start(
  operator: string | null,
  scopes?: readonly string[],
  isFirstRun = false,
): OperatorWatch {
  process = running();
  watch = new OperatorWatch({
    ...process,
    isFirstRun,
    operator,
    ledger: {
      check: async () => {
        if (diskIsFull) throw new LedgerError('LEDGER_UNAVAILABLE', 'the disk is full');
      },
      noteMissingScopes: async (now) => {
        const isNews = now !== missing;
        missing = now;
        return isNews;
      },
    },
    workspace: {
      actor: async (userId) => {
        if (userId === 'UNOBODY000')
          throw new SlackCallError('SLACK_REFUSED', 'unknown', { reason: 'user_not_found' });
        return { userId, role: userId === 'ULEFT00000' ? 'deactivated' : 'member' };
      },
      identity: { team: 'T1', botUserId: 'UBOT', botId: undefined, scopes },
      notify: inbox.notify,
    },
    clock,
    logger: {
      ...silentLogger,
      warn: (...line: unknown[]) => void logged.push(JSON.stringify(line)),
    },
  });
  watch.start();
  return watch;
}

/** Downloads a file, and says what came of it, as an upload does. */
async function download(file: SharedFile, open: (file: SharedFile) => unknown): Promise<void> {
  try {
    await open(file);
    watch.denied = null;
  } catch (error) {
    if (error instanceof SlackFileError) await watch.downloadFailed(file, error);
  }
}

const minutes = async (count: number) => {
  for (let n = 0; n < count; n += 1) await clock.advance(MINUTE);
};

describe('the operator', () => {
  it.each([
    ['UNOBODY000', 1],
    ['ULEFT00000', 1],
    ['U012ABCDEF', 0],
    ['ops@example.com', 0],
  ])('is looked up at the start: %s causes %i warnings', async (operator, times) => {
    start(operator);
    await minutes(1);
    expect(logged.filter((line) => line.includes('OPERATOR isn’t a member'))).toHaveLength(times);
  });

  it('is notified once that the database cannot be written, and again the next time', async () => {
    start('U012ABCDEF');
    diskIsFull = true;
    await minutes(5);
    expect(inbox.notified).toEqual([expect.stringMatching(/^U012ABCDEF: .*disk may be full/)]);
    diskIsFull = false;
    await minutes(1);
    diskIsFull = true;
    await minutes(2);
    expect(inbox.notified).toHaveLength(2);
  });

  it('is notified later when Slack was down', async () => {
    start('U012ABCDEF');
    [diskIsFull, inbox.slackIsDown] = [true, true];
    await minutes(2);
    inbox.slackIsDown = false;
    await minutes(2);
    expect(inbox.notified).toHaveLength(1);
  });

  it('is notified once when Slack’s token cannot read files, and again after it could', async () => {
    const refused = new SlackFileError('SLACK_FILE_SIGN_IN_PAGE', 'a page');
    let answer: SlackFileError | null = refused;
    start('U012ABCDEF');
    const tried = () => download(sharedFile({}), () => (answer ? Promise.reject(answer) : {}));
    for (let n = 0; n < 3; n += 1) await tried();
    expect(inbox.notified).toEqual([expect.stringMatching(/^U012ABCDEF: .*reinstall Pigeonhole/s)]);
    answer = null;
    await tried();
    answer = refused;
    await tried();
    expect(inbox.notified).toHaveLength(2);
  });

  it('is notified when Slack leads the downloads of two files in a row to its sign-in page', async () => {
    let isRefused = true;
    // What Slack does with every file for a token without `files:read`, and with one it keeps back.
    const getFile: GetFile = async () =>
      isRefused
        ? Object.assign(Readable.from([]), { statusCode: 302, headers: { location: SIGN_IN } })
        : Object.assign(Readable.from(['0123456789']), { statusCode: 200, headers: WHOLE });
    const slackApiUrl = 'https://slack.com/api/';
    const open = createDownload({ botToken: 'xoxb-token', slackApiUrl, getFile });
    start('U012ABCDEF');
    const { signal } = new AbortController();
    const tried = (id: string) => download(sharedFile({ id }), (file) => open(file, signal));
    for (const id of ['F1', 'F1']) await tried(id);
    isRefused = false;
    await tried('F2');
    isRefused = true;
    await tried('F3');
    expect(inbox.notified).toEqual([]);
    for (const id of ['F4', 'F5']) await tried(id);
    expect(inbox.notified).toEqual([expect.stringMatching(/^U012ABCDEF: .*reinstall Pigeonhole/s)]);
  });
});

const WHOLE = { 'content-length': '10' };
const SIGN_IN = 'https://acme.slack.com/?redir=%2Ffiles-pri%2FT1-F1%2Fdownload%2Freport.pdf';

describe('scopes that Slack has not granted', () => {
  const all = Object.keys(missingScopes([]));
  const granted = all.filter((scope) => scope !== 'reactions:write');
  const started = async (operator: string | null, scopes?: readonly string[]) => {
    start(operator, scopes);
    await process.stop();
    return logged.splice(0);
  };

  it('are logged at each start, and reported once with what does not work', async () => {
    for (let n = 0; n < 3; n += 1)
      expect(await started('U012ABCDEF', granted)).toEqual([
        expect.stringContaining('"reactions:write":"messages with files get no reaction"'),
      ]);
    expect(inbox.notified).toEqual([
      expect.stringMatching(/^U012ABCDEF: .*• reactions:write – messages with files/s),
    ]);
  });

  it('are reported again when they change', async () => {
    await started('U012ABCDEF', granted);
    await started('U012ABCDEF', granted.slice(1));
    await started('U012ABCDEF', all);
    await started('U012ABCDEF', granted);
    expect(inbox.notified).toHaveLength(3);
  });

  it('are reported at the next start when Slack was down', async () => {
    inbox.slackIsDown = true;
    await started('U012ABCDEF', granted);
    inbox.slackIsDown = false;
    await started('U012ABCDEF', granted);
    expect(inbox.notified).toHaveLength(1);
  });

  it('are only logged when the operator is not a member', async () => {
    expect(await started(null, granted)).toHaveLength(1);
    expect(inbox.notified).toEqual([]);
  });

  it.each([
    ['all are granted', all],
    ['Slack does not list them', undefined],
  ])('are not reported when %s', async (_, scopes) => {
    expect(await started('U012ABCDEF', scopes)).toEqual([]);
    expect(inbox.notified).toEqual([]);
  });
});

describe('a new ledger', () => {
  const listed = async (isFirstRun: boolean, ...lists: string[][]) => {
    start('U012ABCDEF', undefined, isFirstRun);
    for (const channels of lists) watch.channelsListed(channels);
    await process.stop();
  };

  it('is logged and reported, once, where the bot is in channels already', async () => {
    await listed(true, ['C1', 'C2', 'D1'], ['C1', 'C2', 'D1']);
    expect(logged).toEqual([expect.stringMatching(/"channels":2.*put the old ledger back/)]);
    expect(inbox.notified).toEqual([
      expect.stringMatching(/^U012ABCDEF: .*it’s in 2 channels already.*put the old ledger back/s),
    ]);
  });

  it('is nothing to report where the bot was in no channel, nor is a known one', async () => {
    await listed(true, ['D1'], ['D1', 'C1']);
    await listed(false, ['C1']);
    expect([logged, inbox.notified]).toEqual([[], []]);
  });

  it('is only logged when the operator is not a member', async () => {
    start(null, undefined, true).channelsListed(['C1']);
    expect(logged).toHaveLength(1);
    expect(inbox.notified).toEqual([]);
  });
});

it.each([null, 'ops@acme.example'])(
  'no operator is notified when the setting is %s',
  async (operator) => {
    start(operator);
    diskIsFull = true;
    await minutes(2);
    expect(inbox.notified).toEqual([]);
  },
);
