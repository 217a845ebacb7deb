import { beforeEach } from 'vitest';
import type { BatchRequest, CreateAnswer } from '../../src/service/group-commit/create-answer.ts';
import { createGroupCommit } from '../../src/service/group-commit/group-commit.ts';
import type { CreateCall, CreateRequest } from '../../src/service/group-commit/pending-create.ts';
import type { FileRecord } from '../../src/service/records.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { FOLDER, madeRecord } from './client-under-test.ts';
import { createHeldThrottle, type HeldThrottle } from './stub-throttle.ts';

/** A create request that the test answers. */
export interface Sent extends BatchRequest {
  answer(...records: FileRecord[]): void;
  fail(error: unknown): void;
}

interface Running {
  throttle: HeldThrottle;
  clock: FakeClock;
  /** The requests that left, in order. */
  sent: Sent[];
  /** When the folder was said to change. */
  changes: string[];
  /** The records that were told to be ours. */
  made: number[];
  commit(call: CreateCall): Promise<FileRecord | null>;
}

export interface GroupCommitUnderTest {
  /** The group commit of the running test. */
  readonly now: Running;
  /** Everything that can happen without the test has happened. */
  settled(): Promise<void>;
  /** Grants the next place, and lets happen what follows. */
  grant(): Promise<void>;
  /** Asks for a file `<attachmentId>.pdf` of 5 bytes. */
  file(
    attachmentId: number,
    fields?: Partial<CreateRequest & CreateCall>,
  ): Promise<FileRecord | null>;
}

/** A new group commit for each test of a file, with a throttle and a service played by hand. */
export function useGroupCommit(): GroupCommitUnderTest {
  let now: Running;

  beforeEach(() => {
    now = start();
  });

  const settled = () => now.clock.advance(0);

  return {
    get now() {
      return now;
    },
    settled,
    grant: () => {
      now.throttle.grant();
      return settled();
    },
    file: (attachmentId, fields = {}) => {
      const { lane = 'bulk', queue = 'C1', signal, ...request } = fields;
      const whole = { destination: FOLDER, attachmentId, name: `${attachmentId}.pdf`, byteSize: 5 };
      return now.commit({
        request: { ...whole, onSending: async () => undefined, ...request },
        lane,
        queue,
        signal,
      });
    },
  };
}

/** The record that the service makes of `file(attachmentId)`. */
export function recordOf(attachmentId: number, name = `${attachmentId}.pdf`): FileRecord {
  return madeRecord({ id: attachmentId * 10, name, byteSize: 5 });
}

function start(): Running {
  const throttle = createHeldThrottle();
  const clock = createFakeClock();
  const sent: Sent[] = [];
  const changes: string[] = [];
  const made: number[] = [];
  const commit = createGroupCommit({
    throttle,
    clock,
    random: { fraction: () => 0.5, id: () => 'id' },
    timeoutMs: 60_000,
    changed: ({ folderId }) => changes.push(`${folderId} after ${sent.length} sent`),
    made: (records) => {
      made.push(...records.map(({ id }) => id));
    },
    send: (batch) => {
      const { promise, resolve, reject } = Promise.withResolvers<CreateAnswer>();
      batch.signal.addEventListener('abort', () => reject(batch.signal.reason));
      sent.push({
        ...batch,
        answer: (...records) => resolve({ records, sentAt: 0 }),
        fail: reject,
      });
      return promise;
    },
  });
  return { throttle, clock, sent, changes, made, commit };
}
