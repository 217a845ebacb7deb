import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedRow, DoneInSlack, Ledger } from '../../src/ledger/index.ts';
import type { NameCache } from '../../src/service/index.ts';
import { SlackCallError, type Workspace } from '../../src/slack/index.ts';
import { keepMessage, nameFolder } from '../../src/worker/keep-message.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { contextOf } from './context-of.ts';

const BODY = { text: 'Filed', blocks: [] };

let posted: number;
let updated: number;
let done: DoneInSlack;
/** Why Slack has no post; null if it takes all. */
let postError: SlackCallError | null;
let leaseUntil: number;
let isHeld: boolean;
beforeEach(() => {
  posted = 0;
  updated = 0;
  done = {};
  postError = null;
  leaseUntil = 10;
  isHeld = true;
});

/** Runs keepMessage in a Slack where somebody deleted the message; returns the fingerprint. */
async function keep(row: Partial<ClaimedRow<'share'>>): Promise<string | null> {
  const gone = new SlackCallError('SLACK_REFUSED', 'gone', { reason: 'message_not_found' });
  const ledger: Partial<Ledger> = {
    beginReply: async () => isHeld,
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
  const message = {
    row: {
      replyTs: null,
      replyBegun: 0,
      fingerprint: null,
      attempts: 1,
      ...row,
    } as ClaimedRow<'share'>,
    claim: { table: 'shares' as const, id: 1, token: 't' },
    held: { token: 't', signal: new AbortController().signal, leaseUntil: () => leaseUntil },
    place: { channel: 'C1', threadTs: '1' },
    ...{ done, reactAt: null },
    mark: { kind: 'share' as const, id: 1 },
    oldest: '1',
  };
  await keepMessage(message, BODY, contextOf({ clock: createFakeClock(1), ledger, workspace }));
  return done.fingerprint ?? null;
}

describe('keepMessage', () => {
  it('posts a message once', async () => {
    const fingerprint = await keep({});
    expect(posted).toBe(1);
    expect(done).toEqual({ replyTs: '2', fingerprint: expect.any(String) });
    await keep({ fingerprint, replyTs: '2' });
    expect(posted).toBe(1);
  });

  it('edits a message that an earlier claim may have edited, though it seems to say this already', async () => {
    const fingerprint = await keep({});
    await keep({ fingerprint, replyTs: '2' });
    expect(updated).toBe(0);
    await keep({ fingerprint, replyTs: '2', attempts: 2 });
    expect(updated).toBe(1);
  });

  it('posts nothing when the claim is lost', async () => {
    isHeld = false;
    await keep({});
    expect(posted).toBe(0);
  });

  it('rejects with LEASE_LOST when the process was suspended longer than the lease', async () => {
    leaseUntil = 1;
    await expect(keep({})).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(posted).toBe(0);
  });

  it.each([
    ['was never sent', new SlackCallError('SLACK_UNREACHABLE', 'down', { unsent: true }), 0],
    ['is to come later', new SlackCallError('SLACK_RATE_LIMITED', 'wait'), 0],
    ['got no answer', new SlackCallError('SLACK_UNREACHABLE', 'no answer'), undefined],
  ])(
    'has a message looked for only if its post may be in Slack: it %s',
    async (_, error, begun) => {
      postError = error;
      await expect(keep({})).rejects.toBe(error);
      expect(done.replyBegun).toBe(begun);
    },
  );

  it('still has an earlier post looked for that got no answer, after one that was never sent', async () => {
    postError = new SlackCallError('SLACK_UNREACHABLE', 'down', { unsent: true });
    await expect(keep({ replyBegun: 1 })).rejects.toBe(postError);
    expect(done.replyBegun).toBe(1);
  });

  it('does not repost a message that somebody deleted', async () => {
    await keep({ fingerprint: 'another text', replyTs: '2' });
    expect(posted).toBe(0);
  });
});

it('nameFolder returns the names of the channel’s link, and asks the account for other folders', async () => {
  const link = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
  const asked: unknown[] = [];
  const names: Pick<NameCache, 'nameFolder'> = {
    nameFolder: async (folder, options) => {
      asked.push(options?.lane);
      return { projectTitle: 'Asked', folderName: 'Asked', ...folder };
    },
  };
  const ledger: Pick<Ledger, 'findLink'> = {
    findLink: async () => ({
      ...{ ...link, linkedBy: 'U1', linkedAt: 0 },
      ...{ pausedFor: null, pauseNotified: false },
    }),
  };
  const named = (folderId: number) =>
    nameFolder(
      { projectId: 1, folderId },
      { team: 'T1', channel: 'C1' },
      contextOf({ ledger, names }),
    );
  expect(await named(2)).toMatchObject(link);
  expect(await named(3)).toMatchObject({ folderId: 3, projectTitle: 'Asked', folderName: 'Asked' });
  expect(asked).toEqual(['bulk', 'bulk']);
});
