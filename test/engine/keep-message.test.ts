import { beforeEach, describe, expect, it } from 'vitest';
import { keepingMessages } from '../../src/engine/index.ts';
import type { ClaimedMessage, Ledger } from '../../src/ledger/index.ts';
import { type KeptMessage, SlackCallError, type Workspace } from '../../src/slack/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { contextOf } from './context-of.ts';

const BODY = { text: 'Filed', blocks: [] };
const KEPT: KeptMessage = {
  place: { channel: 'C1', threadTs: '1' },
  ...{ oldest: '1', say: async () => BODY, dueAt: null },
};

type Ended = Parameters<Ledger['endMessage']>[1];

let posted: number;
let updated: number;
/** Why Slack has no post; null if it takes all. */
let postError: SlackCallError | null;
let leaseUntil: number;
let isHeld: boolean;
beforeEach(() => {
  posted = 0;
  updated = 0;
  postError = null;
  leaseUntil = 10;
  isHeld = true;
});

/**
 * Keeps a message in a Slack where somebody deleted it; returns how its claim was ended. Nothing is
 * kept without `kept`.
 */
async function keep(row: Partial<ClaimedMessage>, kept: KeptMessage | null = KEPT): Promise<Ended> {
  const gone = new SlackCallError('SLACK_REFUSED', 'gone', { reason: 'message_not_found' });
  const ends: Ended[] = [];
  const ledger: Partial<Ledger> = {
    claimMessage: async () => ({
      ...{ kind: 'share', about: 1, channel: null, ts: null, begun: 0, fingerprint: null },
      ...{ reaction: null, reactionBegun: null, attempts: 1, ...row },
    }),
    beginPost: async () => isHeld,
    endMessage: async (_key, end) => void ends.push(end),
  };
  const workspace: Partial<Workspace> = {
    find: async () => null,
    post: async () => {
      if (postError) throw postError;
      posted += 1;
      return '2';
    },
    update: () => {
      updated += 1;
      return Promise.reject(gone);
    },
  };
  const render = async () => kept;
  const context = contextOf({ clock: createFakeClock(1), ledger, workspace });
  const handler = keepingMessages({ share: render, report: render }, context);
  const { signal } = new AbortController();
  const run = await handler.claim(() => ({ now: 1, until: 10, token: 't' }), signal);
  await run?.({ token: 't', signal, leaseUntil: () => leaseUntil });
  return ends[0] ?? expect.unreachable('the claim was not ended');
}

describe('a kept message', () => {
  it('is posted once', async () => {
    const { done, failed } = await keep({});
    expect({ done, failed }).toEqual({
      ...{ done: { ts: '2', fingerprint: expect.any(String) }, failed: false },
    });
    await keep({ ...done });
    expect(posted).toBe(1);
  });

  it('is left as it is where nothing is to be kept', async () => {
    expect(await keep({}, null)).toMatchObject({ done: {}, againAt: null, failed: false });
    expect(posted).toBe(0);
  });

  it('is edited if an earlier claim may have edited it, though it seems to say this already', async () => {
    const { done } = await keep({});
    await keep({ ...done });
    expect(updated).toBe(0);
    await keep({ ...done, attempts: 2 });
    expect(updated).toBe(1);
  });

  it('is not posted when the claim is lost', async () => {
    isHeld = false;
    await keep({});
    expect(posted).toBe(0);
  });

  it('is not posted when the process was suspended longer than the lease', async () => {
    leaseUntil = 1;
    expect(await keep({})).toMatchObject({ failed: true });
    expect(posted).toBe(0);
  });

  it.each([
    ['was never sent', new SlackCallError('SLACK_UNREACHABLE', 'down', { unsent: true }), 0],
    ['is to come later', new SlackCallError('SLACK_RATE_LIMITED', 'wait'), 0],
    ['got no answer', new SlackCallError('SLACK_UNREACHABLE', 'no answer'), undefined],
  ])('is looked for only if its post may be in Slack: it %s', async (_, error, begun) => {
    postError = error;
    const { done, failed } = await keep({});
    expect(failed).toBe(true);
    expect(done?.begun).toBe(begun);
  });

  it('is still looked for after a post that got no answer, and one that was never sent', async () => {
    postError = new SlackCallError('SLACK_UNREACHABLE', 'down', { unsent: true });
    expect(await keep({ begun: 1 })).toMatchObject({ done: { begun: 1 }, failed: true });
  });

  it('is not reposted when somebody deleted it', async () => {
    await keep({ fingerprint: 'another text', ts: '2' });
    expect(posted).toBe(0);
  });
});

it('messages are left to the process that sends by one that stands by', async () => {
  let isStandingBy = true;
  const clock = createFakeClock(1);
  const ledger: Partial<Ledger> = { nextDue: async () => 1 };
  const context = contextOf({ clock, ledger, standsBy: () => isStandingBy });
  const { next } = keepingMessages({ share: async () => null, report: async () => null }, context);
  expect(await next()).toBeGreaterThan(clock.now());
  isStandingBy = false;
  expect(await next()).toBe(clock.now());
});
