import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { LedgerError } from '../../../src/ledger/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import { OperatorWatch } from '../../../src/surfaces/notices/operator-watch.ts';
import { createFakeInbox, type FakeInbox } from '../../engine/fake-inbox.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { running } from '../../support/running.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let inbox: FakeInbox;
let diskIsFull: boolean;
let missing: string | null;
let logged: string[];
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
  const watch = new OperatorWatch({
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
