import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filing } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { type FileRecord, type ServiceClient, ServiceError } from '../../src/service/index.ts';
import { slackTs, type Workspace } from '../../src/slack/index.ts';
import { fileRecord, freeSlot, recording, share, sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { claimJob } from './claim-job.ts';
import { contextOf } from './context-of.ts';
import { runCatchUp } from './run-catch-up.ts';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const unanswered = new ServiceError('SERVICE_TIMEOUT', 'no', { sent: 'unknown', retry: 'later' });

let clock: FakeClock;
let ledger: Ledger;
let records: FileRecord[];
/** The attachments of each create. */
let creates: number[][];
/** What a create is answered with; null for no answer. */
let answer: FileRecord | null;
beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
  [records, creates, answer] = [[], [], null];
});
afterEach(() => ledger.close());

let attachments = 0;

/** An instance whose clock is ahead by so much; returns what runs its next job. */
function instance(aheadMs: number) {
  const own = { ...clock, now: () => clock.now() + aheadMs };
  let hasAsked = false;
  const service: Partial<ServiceClient> = {
    bulkSlot: async () => freeSlot,
    time: () => (hasAsked ? clock.now() : null),
    uploadFile: async () => {
      hasAsked = true;
      attachments += 1;
      return { attachmentId: attachments, sentBytes: 10, serviceTime: clock.now() };
    },
    peekFiles: async () => ({ entries: [], whole: true, askedAt: 0, serviceTime: null }),
    listFolders: async () => null,
    listFiles: async () => ({
      ...{ files: [...records], unreadable: 0, complete: true },
      ...{ serviceTime: clock.now(), fetchedAt: own.now() },
    }),
    creators: new Set(),
    createFiles: async (batch) => {
      creates.push(batch.attachments.map(({ attachmentId }) => attachmentId));
      if (!answer) throw unanswered;
      const made = answer;
      return batch.attachments.map(() => made);
    },
  };
  const workspace: Partial<Workspace> = { fileInfo: async (file) => file };
  const context = contextOf({ ledger, service, workspace, clock: own, settleMs: 3 * MINUTE });
  const jobs = filing(context, 1);
  return async () => (await claimJob(jobs, { now: own.now() }))?.();
}

async function recordFiles(ids: string[], ts = '1700000000.000100', now = NOW): Promise<number> {
  const files = ids.map((id) => sharedFile({ id, name: `${id}.pdf` }));
  return (await ledger.recordShare(recording({ ts, files }, { now }))).shareId;
}

describe('a create without an answer', () => {
  it('is not taken as absent too early by another instance, whose clock is ahead', async () => {
    await recordFiles(['F1', 'F2']);
    const [ahead, right] = [instance(2 * MINUTE), instance(0)];
    await ahead();
    await clock.advance(1_000);
    await right();
    await right();
    expect(creates).toHaveLength(1);
    await clock.advance(72_000);
    await ahead();
    await ahead();
    expect(creates).toHaveLength(1);
  });

  it('is not taken as absent too early where our clock jumps ahead, long after the upload', async () => {
    await recordFiles(['F1']);
    const right = instance(0);
    await right();
    await clock.advance(HOUR);
    await right();
    expect(creates).toHaveLength(1);
    await clock.advance(72_000);
    const jumped = instance(HOUR);
    await jumped();
    await jumped();
    expect(creates).toHaveLength(1);
  });

  it.each([
    ['found', 70, { state: 'filed', recordId: 70 }],
    // By its number it may be an older one.
    ['left to a person', 5, { state: 'creating', problem: 'RECORD_UNCLEAR' }],
  ])(
    'is %s after a restart that sets our clock right, as record %i',
    async (_what, id, expected) => {
      await recordFiles(['F0']);
      answer = fileRecord({ id: 60, name: 'F0.pdf', createdAt: clock.now() });
      records.push(answer);
      const fast = instance(HOUR);
      await fast();
      await fast();
      answer = null;
      const shareId = await recordFiles(['F1'], '1700000001.000100', NOW + HOUR);
      await fast();
      await fast();
      records.push(fileRecord({ id, name: 'F1.pdf', createdAt: clock.now() }));
      await clock.advance(10 * MINUTE);
      await ledger.beginRun(clock.now());
      await ledger.sweepLeases(['folder', 'upload'], { now: clock.now(), all: true });
      const after = instance(0);
      for (let minute = 0; minute < 180; minute += 1) {
        await after();
        await clock.advance(MINUTE);
      }
      const [one] = await ledger.transfersOfShare(shareId);
      expect(one).toMatchObject(expected);
      expect(creates).toHaveLength(2);
    },
  );
});

it('a catch-up reads a day back where the last listing was noted in the future', async () => {
  const begunTs = slackTs(NOW + HOUR);
  await ledger.beginRun(NOW, begunTs);
  const of = { team: 'T1', channels: [], all: true, isInterrupted: false };
  await ledger.requestCatchUp({ ...of, begunTs, now: NOW });
  const shared = share({
    channel: 'C9',
    ts: slackTs(NOW - 20 * MINUTE),
    files: [sharedFile({ id: 'F9' })],
  });
  const joined = { kind: 'join', ts: slackTs(NOW - 30 * MINUTE) } as const;
  const workspace: Pick<Workspace, 'listsAll' | 'channels' | 'history'> = {
    listsAll: true,
    channels: async () => ['C9'],
    async *history(_channel, { oldest }) {
      const isSent = ({ ts }: { ts: string }) => ts > oldest;
      yield { shares: [shared].filter(isSent), skippedThreads: [], moves: [joined].filter(isSent) };
    },
  };
  expect(await runCatchUp({ ledger, workspace, clock, eventsSince: () => NOW })).toBe(1);
});
