import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { missingScopes } from '../../src/blocks/index.ts';
import { LedgerError } from '../../src/ledger/index.ts';
import { SlackCallError, SlackFileError } from '../../src/slack/index.ts';
import { OperatorWatch } from '../../src/worker/index.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { running } from '../support/running.ts';
import { createFakeInbox, type FakeInbox } from './fake-inbox.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let inbox: FakeInbox;
let diskIsFull: boolean;
let missing: string | null;
let logged: string[];
let hurried: number;
let watch: OperatorWatch;
let process: ReturnType<typeof running>;
beforeEach(() => {
  clock = createFakeClock();
  inbox = createFakeInbox();
  diskIsFull = false;
  [missing, logged, hurried] = [null, [], 0];
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
      hurryWaitingFor: async (problems) => {
        expect(problems).toEqual(['SLACK_FILE_UNAUTHORIZED']);
        hurried += 1;
        return 0;
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
    wake: () => undefined,
    logger: {
      ...silentLogger,
      warn: (...line: unknown[]) => void logged.push(JSON.stringify(line)),
    },
  });
  watch.start();
  return watch;
}

const UNAUTHORIZED = new SlackFileError('SLACK_FILE_UNAUTHORIZED', 'F1: token_revoked');

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

  it('is notified once when Slack’s token cannot read files, and of the end, each time', async () => {
    start('U012ABCDEF');
    for (let outages = 0; outages < 2; outages += 1) {
      for (let n = 0; n < 3; n += 1) await watch.failed(UNAUTHORIZED);
      expect([missing, hurried]).toEqual(['files:read', 1 + outages]);
      for (let n = 0; n < 3; n += 1) watch.succeeded();
      await minutes(1);
      expect([missing, hurried]).toEqual([null, 2 + outages]);
    }
    const both = [/^U012ABCDEF: .*they wait.*reinstall Pigeonhole/s, /^U012ABCDEF: .*it lacked/];
    expect(inbox.notified).toEqual([...both, ...both].map((text) => expect.stringMatching(text)));
  });

  it('is notified later when the token could not post either', async () => {
    start('U012ABCDEF');
    inbox.slackIsDown = true;
    for (let n = 0; n < 2; n += 1) await watch.failed(UNAUTHORIZED);
    inbox.slackIsDown = false;
    for (let n = 0; n < 2; n += 1) await watch.failed(UNAUTHORIZED);
    expect(inbox.notified).toEqual([expect.stringMatching(/reinstall Pigeonhole/)]);
  });

  it('is not notified again by another process, and of the end by one that starts with a good token', async () => {
    const all = Object.keys(missingScopes([]));
    start('U012ABCDEF', all);
    await watch.failed(UNAUTHORIZED);
    await process.stop();
    start(
      'U012ABCDEF',
      all.filter((scope) => scope !== 'files:read'),
    );
    await watch.failed(UNAUTHORIZED);
    await process.stop();
    expect(inbox.notified).toHaveLength(1);
    start('U012ABCDEF', all);
    await process.stop();
    watch.succeeded();
    expect(inbox.notified.slice(1)).toEqual([expect.stringMatching(/that it lacked/)]);
    expect(hurried).toBe(3);
  });

  it('is notified of nothing when Slack keeps single files back', async () => {
    start('U012ABCDEF');
    for (const code of ['SLACK_FILE_DENIED', 'SLACK_FILE_SIGN_IN_PAGE'] as const)
      await watch.failed(new SlackFileError(code, 'F1'));
    expect(inbox.notified).toEqual([]);
  });
});

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
    expect(inbox.notified.at(-1)).toMatch(/has the permissions in Slack that it lacked/);
    await started('U012ABCDEF', granted);
    expect(inbox.notified).toHaveLength(4);
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
