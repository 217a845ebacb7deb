import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/service/requests/service-error.ts';
import { FOLDER, rejectionOf } from './client-under-test.ts';
import { recordOf, useGroupCommit } from './group-commit-under-test.ts';

const under = useGroupCommit();

describe('who goes together', () => {
  test('one alone goes at once', async () => {
    const one = under.file(1);
    expect(under.now.throttle.requests).toMatchObject([
      { lane: 'bulk', queue: 'C1', timeoutMs: 60_000 },
    ]);
    await under.grant();
    expect(under.now.sent).toMatchObject([
      { destination: FOLDER, apiKey: 'shared', attachments: [1] },
    ]);
    under.now.sent[0]?.answer(recordOf(1));
    expect((await one).id).toBe(10);
    expect(under.now.throttle.outcomes).toEqual([{ sent: true, rateLimitedForMs: undefined }]);
    expect(under.now.changes).toEqual(['42 after 0 sent', '42 after 1 sent']);
  });

  test('all who are ready when the place is granted, in order, in one request', async () => {
    const files = [1, 2, 3].map((id) => under.file(id));
    expect(under.now.throttle.waiting()).toBe(1);
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1, 2, 3]]);
    under.now.sent[0]?.answer(recordOf(3), recordOf(1), recordOf(2));
    expect((await Promise.all(files)).map(({ id }) => id)).toEqual([10, 20, 30]);
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('who comes while a request is on its way asks for the next place', async () => {
    void under.file(1);
    await under.grant();
    void under.file(2);
    void under.file(3);
    expect(under.now.throttle.waiting()).toBe(1);
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1], [2, 3]]);
  });

  test('a hundred at most', async () => {
    for (let id = 1; id <= 130; id += 1) void under.file(id);
    await under.grant();
    expect(under.now.throttle.waiting()).toBe(1);
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments.length)).toEqual([100, 30]);
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('folders, keys and lanes apart', async () => {
    void under.file(1);
    void under.file(2, { destination: { projectId: 7, folderId: 43 } });
    void under.file(3, { apiKey: 'mine' });
    void under.file(4, { lane: 'interactive' });
    expect(under.now.throttle.requests.map(({ lane }) => lane)).toEqual([
      'bulk',
      'bulk',
      'bulk',
      'interactive',
    ]);
    for (let places = 0; places < 4; places += 1) await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1], [2], [3], [4]]);
    expect(under.now.sent.map(({ apiKey }) => apiKey)).toEqual([
      'shared',
      'shared',
      'mine',
      'shared',
    ]);
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
    void under.file(1, { onSending });
    void under.file(2, { onSending });
    await under.settled();
    expect(told).toBe(0);
    await under.grant();
    expect(told).toBe(2);
    expect(under.now.sent).toHaveLength(0);
    recorded.resolve();
    await under.settled();
    expect(under.now.sent[0]?.attachments).toEqual([1, 2]);
  });

  test('who objects is left out, with that reason', async () => {
    const reason = new Error('lease lost');
    const objecting = rejectionOf(under.file(1, { onSending: () => Promise.reject(reason) }));
    const other = under.file(2);
    await under.grant();
    expect(await objecting).toBe(reason);
    expect(under.now.sent[0]?.attachments).toEqual([2]);
    under.now.sent[0]?.answer(recordOf(2));
    expect((await other).id).toBe(20);
  });

  test('with everybody left out the place goes back', async () => {
    const reason = new Error('lease lost');
    const objecting = rejectionOf(under.file(1, { onSending: () => Promise.reject(reason) }));
    await under.grant();
    expect(await objecting).toBe(reason);
    expect(under.now.sent).toHaveLength(0);
    expect(under.now.changes).toEqual([]);
    expect(under.now.throttle.outcomes).toMatchObject([{ sent: false }]);
  });
});

describe('an answer', () => {
  test('of one record for many: the others are looked for at once, none is sent again', async () => {
    const answered = under.file(1);
    const found = under.file(2, { findLeft: async () => recordOf(2) });
    const missing = rejectionOf(under.file(3, { findLeft: async () => null }));
    const hidden = rejectionOf(
      under.file(4, { findLeft: () => Promise.reject(new Error('no list')) }),
    );
    const unsought = rejectionOf(under.file(5));
    await under.grant();
    under.now.sent[0]?.answer(recordOf(1));
    expect((await answered).id).toBe(10);
    expect((await found).id).toBe(20);
    const unknown = { code: 'SERVICE_BAD_ANSWER', retry: 'later', sent: 'unknown' };
    expect(await missing).toMatchObject(unknown);
    expect(await hidden).toMatchObject(unknown);
    expect(await unsought).toMatchObject(unknown);
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('of success that cannot be read: what is in the folder is found at once', async () => {
    const found = under.file(1, { findLeft: async () => recordOf(1) });
    const missing = rejectionOf(under.file(2, { findLeft: async () => null }));
    await under.grant();
    const details = { retry: 'later', sent: 'unknown', status: 201 } as const;
    const unreadable = new ServiceError('SERVICE_BAD_ANSWER', 'no record', details);
    under.now.sent[0]?.fail(unreadable);
    expect((await found).id).toBe(10);
    expect(await missing).toBe(unreadable);
  });

  test('that tells too little gives its place back before the folder is looked into', async () => {
    const looking = Promise.withResolvers<null>();
    const open: number[] = [];
    const findLeft = () => {
      open.push(under.now.throttle.open());
      return looking.promise;
    };
    const one = rejectionOf(under.file(1, { findLeft }));
    void under.file(2);
    await under.grant();
    under.now.sent[0]?.answer(recordOf(2));
    await under.settled();
    expect(open).toEqual([0]);
    looking.resolve(null);
    await one;
  });
});
