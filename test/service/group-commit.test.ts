import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CreateRequest } from '../../src/service/client.ts';
import type { BatchRequest } from '../../src/service/commit-batch.ts';
import type { FileRecord } from '../../src/service/file-record.ts';
import { createGroupCommit } from '../../src/service/group-commit.ts';
import type { CreateCall } from '../../src/service/pending-create.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { FOLDER, rejectionOf } from './client-under-test.ts';
import { createHeldThrottle, type HeldThrottle } from './stub-throttle.ts';

type Commit = (call: CreateCall) => Promise<FileRecord>;

/** A request that the test answers. */
interface Sent extends BatchRequest {
  answer(...records: FileRecord[]): void;
  fail(error: unknown): void;
}

let throttle: HeldThrottle;
let clock: FakeClock;
let sent: Sent[];
let changes: string[];
let commit: Commit;

beforeEach(() => {
  throttle = createHeldThrottle();
  clock = createFakeClock();
  sent = [];
  changes = [];
  commit = createGroupCommit({
    throttle,
    clock,
    random: { fraction: () => 0.5, id: () => 'id' },
    timeoutMs: 60_000,
    changed: ({ folderId }) => changes.push(`${folderId} after ${sent.length} sent`),
    send: (batch) => {
      const { promise, resolve, reject } = Promise.withResolvers<FileRecord[]>();
      batch.signal.addEventListener('abort', () => reject(batch.signal.reason));
      sent.push({ ...batch, answer: (...records) => resolve(records), fail: reject });
      return promise;
    },
  });
});

/** Everything that can happen without the test has happened. */
async function settled(): Promise<void> {
  await clock.advance(0);
}

async function grant(): Promise<void> {
  throttle.grant();
  await settled();
}

function file(attachmentId: number, fields: Partial<CreateRequest & CreateCall> = {}) {
  const { lane = 'bulk', queue = 'C1', signal, apiKey = 'shared', ...request } = fields;
  const whole = { destination: FOLDER, attachmentId, name: `${attachmentId}.pdf`, byteSize: 5 };
  return commit({
    request: { ...whole, onSending: async () => undefined, ...request },
    lane,
    queue,
    signal,
    apiKey,
  });
}

function recordOf(attachmentId: number, fields: Partial<FileRecord> = {}): FileRecord {
  return {
    id: attachmentId * 10,
    name: `${attachmentId}.pdf`,
    byteSize: 5,
    createdAt: null,
    updatedAt: null,
    source: null,
    approvedByMe: false,
    approvedCount: 0,
    fileType: null,
    proofCount: 0,
    url: null,
    creatorId: null,
    ...fields,
  };
}

function failure(
  code: ServiceError['code'],
  details: ConstructorParameters<typeof ServiceError>[2],
): ServiceError {
  return new ServiceError(code, code, details);
}

const refused = () => failure('SERVICE_BAD_REQUEST', { retry: 'never', sent: 'yes', status: 400 });
const limited = (retryAfterMs = 4_000) =>
  failure('SERVICE_RATE_LIMITED', { retry: 'later', sent: 'no', status: 429, retryAfterMs });

describe('who goes together', () => {
  test('one alone goes at once', async () => {
    const one = file(1);
    expect(throttle.requests).toMatchObject([{ lane: 'bulk', queue: 'C1', timeoutMs: 60_000 }]);
    await grant();
    expect(sent).toMatchObject([{ destination: FOLDER, apiKey: 'shared', attachments: [1] }]);
    sent[0]?.answer(recordOf(1));
    expect((await one).id).toBe(10);
    expect(throttle.outcomes).toEqual([{ sent: true, rateLimitedForMs: undefined }]);
    expect(changes).toEqual(['42 after 0 sent', '42 after 1 sent']);
  });

  test('all who are ready when the place is granted, in order, in one request', async () => {
    const files = [1, 2, 3].map((id) => file(id));
    expect(throttle.waiting()).toBe(1);
    await grant();
    expect(sent.map(({ attachments }) => attachments)).toEqual([[1, 2, 3]]);
    sent[0]?.answer(recordOf(3), recordOf(1), recordOf(2));
    expect((await Promise.all(files)).map(({ id }) => id)).toEqual([10, 20, 30]);
    expect(throttle.waiting()).toBe(0);
  });

  test('who comes while a request is on its way asks for the next place', async () => {
    void file(1);
    await grant();
    void file(2);
    void file(3);
    expect(throttle.waiting()).toBe(1);
    await grant();
    expect(sent.map(({ attachments }) => attachments)).toEqual([[1], [2, 3]]);
  });

  test('a hundred at most', async () => {
    for (let id = 1; id <= 130; id += 1) void file(id);
    await grant();
    expect(throttle.waiting()).toBe(1);
    await grant();
    expect(sent.map(({ attachments }) => attachments.length)).toEqual([100, 30]);
    expect(throttle.waiting()).toBe(0);
  });

  test('folders, keys and lanes apart', async () => {
    void file(1);
    void file(2, { destination: { projectId: 7, folderId: 43 } });
    void file(3, { apiKey: 'mine' });
    void file(4, { lane: 'interactive' });
    expect(throttle.requests.map(({ lane }) => lane)).toEqual([
      'bulk',
      'bulk',
      'bulk',
      'interactive',
    ]);
    for (let places = 0; places < 4; places += 1) await grant();
    expect(sent.map(({ attachments }) => attachments)).toEqual([[1], [2], [3], [4]]);
    expect(sent.map(({ apiKey }) => apiKey)).toEqual(['shared', 'shared', 'mine', 'shared']);
  });
});

describe('twins: same folder, name and size', () => {
  test('are never on their way at the same time', async () => {
    const first = file(1, { name: 'Prüfung.pdf' });
    const second = file(2, { name: 'Pru\u0308fung.pdf', apiKey: 'mine' });
    const third = file(3);
    await grant();
    await grant();
    expect(sent.map(({ attachments }) => attachments)).toEqual([[1, 3]]);
    expect(throttle.outcomes).toMatchObject([{ sent: false }]);
    sent[0]?.answer(recordOf(1, { name: 'Prüfung.pdf' }), recordOf(3));
    await Promise.all([first, third]);
    await settled();
    await grant();
    expect(sent[1]).toMatchObject({ attachments: [2], apiKey: 'mine' });
    sent[1]?.answer(recordOf(2));
    expect((await second).id).toBe(20);
  });

  test('wait for each other though the first fails', async () => {
    const first = file(1, { name: 'a' });
    const second = file(2, { name: 'a' });
    await grant();
    expect(sent).toHaveLength(1);
    expect(throttle.waiting()).toBe(0);
    sent[0]?.fail(failure('SERVICE_FAILED', { retry: 'later', sent: 'unknown' }));
    expect(await rejectionOf(first)).toMatchObject({ code: 'SERVICE_FAILED' });
    await settled();
    await grant();
    sent[1]?.answer(recordOf(2));
    expect((await second).id).toBe(20);
  });

  test('wait though the caller of the first has given up', async () => {
    const controller = new AbortController();
    const first = rejectionOf(file(1, { name: 'a', signal: controller.signal }));
    const companion = file(3);
    await grant();
    controller.abort(new Error('enough'));
    await first;
    void file(2, { name: 'a' });
    await settled();
    expect(throttle.waiting()).toBe(0);
    sent[0]?.answer(recordOf(3), recordOf(1, { name: 'a' }));
    await companion;
    await settled();
    expect(throttle.waiting()).toBe(1);
  });

  test('of another size are none', async () => {
    void file(1, { name: 'a', byteSize: 1 });
    void file(2, { name: 'a', byteSize: 2 });
    await grant();
    expect(sent[0]?.attachments).toEqual([1, 2]);
  });
});

describe('before sending', () => {
  test('everybody is told, once granted and before anything leaves', async () => {
    const recorded = Promise.withResolvers<void>();
    let told = 0;
    const onSending = () => {
      told += 1;
      return recorded.promise;
    };
    void file(1, { onSending });
    void file(2, { onSending });
    await settled();
    expect(told).toBe(0);
    await grant();
    expect(told).toBe(2);
    expect(sent).toHaveLength(0);
    recorded.resolve();
    await settled();
    expect(sent[0]?.attachments).toEqual([1, 2]);
  });

  test('who objects is left out, with that reason', async () => {
    const reason = new Error('lease lost');
    const objecting = rejectionOf(file(1, { onSending: () => Promise.reject(reason) }));
    const other = file(2);
    await grant();
    expect(await objecting).toBe(reason);
    expect(sent[0]?.attachments).toEqual([2]);
    sent[0]?.answer(recordOf(2));
    expect((await other).id).toBe(20);
  });

  test('with everybody left out the place goes back', async () => {
    const reason = new Error('lease lost');
    const objecting = rejectionOf(file(1, { onSending: () => Promise.reject(reason) }));
    await grant();
    expect(await objecting).toBe(reason);
    expect(sent).toHaveLength(0);
    expect(changes).toEqual([]);
    expect(throttle.outcomes).toMatchObject([{ sent: false }]);
  });
});

describe('an answer', () => {
  test('of one record for many: the others are to be looked for', async () => {
    const [one, two] = [file(1), file(2)];
    await grant();
    sent[0]?.answer(recordOf(2));
    expect((await two).id).toBe(20);
    expect(await rejectionOf(one)).toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
      retry: 'later',
      sent: 'unknown',
    });
  });
});

describe('a request that fails', () => {
  test('refused: each alone, and told again, so that the bad one fails alone', async () => {
    let told = 0;
    const onSending = async () => {
      told += 1;
    };
    const [good, bad, fine] = [file(1, { onSending }), rejectionOf(file(2)), file(3)];
    await grant();
    sent[0]?.fail(refused());
    await settled();
    for (let places = 0; places < 3; places += 1) await grant();
    expect(sent.map(({ attachments }) => attachments)).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect(told).toBe(2);
    sent[1]?.answer(recordOf(1));
    sent[2]?.fail(refused());
    sent[3]?.answer(recordOf(3));
    expect((await good).id).toBe(10);
    expect(await bad).toMatchObject({ code: 'SERVICE_BAD_REQUEST' });
    expect((await fine).id).toBe(30);
    expect(throttle.open()).toBe(0);
  });

  test('refused though alone: rejected', async () => {
    const one = rejectionOf(file(1));
    await grant();
    sent[0]?.fail(refused());
    expect(await one).toMatchObject({ code: 'SERVICE_BAD_REQUEST' });
    expect(throttle.waiting()).toBe(0);
  });

  test('for its key: nobody needs to try alone', async () => {
    const files = [rejectionOf(file(1)), rejectionOf(file(2))];
    await grant();
    sent[0]?.fail(failure('SERVICE_UNAUTHORIZED', { retry: 'never', sent: 'yes', status: 401 }));
    for (const one of files) expect(await one).toMatchObject({ code: 'SERVICE_UNAUTHORIZED' });
    expect(throttle.waiting()).toBe(0);
  });

  test('with an unknown outcome: everybody is told so, nobody is repeated', async () => {
    const files = [rejectionOf(file(1)), rejectionOf(file(2))];
    await grant();
    const error = failure('SERVICE_TIMEOUT', { retry: 'later', sent: 'unknown' });
    sent[0]?.fail(error);
    for (const one of files) expect(await one).toBe(error);
    expect(throttle.waiting()).toBe(0);
  });

  test('rate limited: the same go again, five times, and the throttle hears of it', async () => {
    const files = [rejectionOf(file(1)), rejectionOf(file(2))];
    for (let round = 0; round < 6; round += 1) {
      await grant();
      sent[round]?.fail(limited());
      await settled();
    }
    expect(sent.map(({ attachments }) => attachments)).toEqual(Array(6).fill([1, 2]));
    for (const one of files) expect(await one).toMatchObject({ code: 'SERVICE_RATE_LIMITED' });
    expect(throttle.outcomes).toEqual(Array(6).fill({ sent: true, rateLimitedForMs: 4_000 }));
    expect(throttle.waiting()).toBe(0);
  });

  test('rate limited: they go before who came since', async () => {
    void file(1);
    await grant();
    void file(2);
    sent[0]?.fail(limited());
    await settled();
    await grant();
    expect(sent[1]?.attachments).toEqual([1, 2]);
  });

  test('before it left: once more after a while, then rejected', async () => {
    const one = rejectionOf(file(1));
    await grant();
    const error = failure('SERVICE_UNREACHABLE', { retry: 'later', sent: 'no' });
    sent[0]?.fail(error);
    await settled();
    expect(throttle.waiting()).toBe(0);
    expect(throttle.outcomes).toMatchObject([{ sent: true }]);
    await clock.advance(250);
    await grant();
    sent[1]?.fail(error);
    expect(await one).toBe(error);
  });

  test('at the throttle: all in line are told', async () => {
    const files = [rejectionOf(file(1)), rejectionOf(file(2))];
    const stopped = failure('SERVICE_STOPPED', { retry: 'later', sent: 'no' });
    throttle.refuse(stopped);
    for (const one of files) expect(await one).toBe(stopped);
  });
});

describe('a caller who gives up', () => {
  const reason = new Error('enough');

  test('in line, alone: the place is no longer asked for', async () => {
    const controller = new AbortController();
    const one = rejectionOf(file(1, { signal: controller.signal }));
    controller.abort(reason);
    expect(await one).toBe(reason);
    expect(throttle.waiting()).toBe(0);
    const next = file(2);
    await grant();
    sent[0]?.answer(recordOf(2));
    expect((await next).id).toBe(20);
  });

  test('in line, with others: they go without', async () => {
    const controller = new AbortController();
    const one = rejectionOf(file(1, { signal: controller.signal }));
    void file(2);
    controller.abort(reason);
    expect(await one).toBe(reason);
    await grant();
    expect(sent[0]?.attachments).toEqual([2]);
  });

  test('on the way, with others: the request goes on for them', async () => {
    const controller = new AbortController();
    const one = rejectionOf(file(1, { signal: controller.signal }));
    const two = file(2);
    await grant();
    controller.abort(reason);
    expect(await one).toBe(reason);
    expect(sent[0]?.signal.aborted).toBe(false);
    sent[0]?.answer(recordOf(1), recordOf(2));
    expect((await two).id).toBe(20);
  });

  test('on the way, the last of all: the request ends', async () => {
    const controller = new AbortController();
    const files = [1, 2].map((id) => rejectionOf(file(id, { signal: controller.signal })));
    await grant();
    controller.abort(reason);
    expect(await Promise.all(files)).toEqual([reason, reason]);
    await settled();
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(throttle.open()).toBe(0);
  });

  test('before asking is not heard at all', async () => {
    expect(await rejectionOf(file(1, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(throttle.requests).toHaveLength(0);
  });

  test('or not: no listener stays on the signal', async () => {
    const { signal } = new AbortController();
    const one = file(1, { signal });
    await grant();
    sent[0]?.answer(recordOf(1));
    await one;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
