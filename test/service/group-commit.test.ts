import { describe, expect, test } from 'vitest';
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
    expect(under.now.sent).toMatchObject([{ destination: FOLDER, attachments: [1] }]);
    under.now.sent[0]?.answer(recordOf(1));
    expect((await one)?.id).toBe(10);
    expect(under.now.throttle.outcomes).toEqual([{ sent: true, rateLimitedForMs: undefined }]);
    expect(under.now.changes).toEqual(['42 after 0 sent', '42 after 1 sent']);
  });

  test('all who are ready when the place is granted, in order, in one request', async () => {
    const files = [1, 2, 3].map((id) => under.file(id));
    expect(under.now.throttle.waiting()).toBe(1);
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1, 2, 3]]);
    under.now.sent[0]?.answer(recordOf(3), recordOf(1), recordOf(2));
    expect((await Promise.all(files)).map((record) => record?.id)).toEqual([10, 20, 30]);
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

  test('folders and lanes apart', async () => {
    void under.file(1);
    void under.file(2, { destination: { projectId: 7, folderId: 43 } });
    void under.file(3, { lane: 'interactive' });
    expect(under.now.throttle.requests.map(({ lane }) => lane)).toEqual([
      'bulk',
      'bulk',
      'interactive',
    ]);
    for (let places = 0; places < 3; places += 1) await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1], [2], [3]]);
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
    expect((await other)?.id).toBe(20);
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

describe('an answer of success', () => {
  test('settles everybody: with a record where it tells, with none where it does not', async () => {
    const [answered, untold] = [under.file(1), under.file(2)];
    await under.grant();
    under.now.sent[0]?.answer(recordOf(1));
    expect((await answered)?.id).toBe(10);
    expect(await untold).toBeNull();
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('without any record settles everybody, too: nothing is sent again', async () => {
    const files = [under.file(1), under.file(2)];
    await under.grant();
    under.now.sent[0]?.answer();
    expect(await Promise.all(files)).toEqual([null, null]);
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('of renamed records of one size gives them out in the order of the attachments', async () => {
    const [late, early] = [under.file(2), under.file(1)];
    await under.grant();
    expect(under.now.sent[0]?.attachments).toEqual([1, 2]);
    under.now.sent[0]?.answer(recordOf(8, 'x'), recordOf(7, 'y'));
    expect((await early)?.id).toBe(70);
    expect((await late)?.id).toBe(80);
  });

  test('tells who makes our records by the records that are ours, and by no other', async () => {
    const stranger = { ...recordOf(5, 'other.pdf'), byteSize: 99, creatorId: 6 };
    void under.file(1);
    void under.file(2);
    await under.grant();
    under.now.sent[0]?.answer(recordOf(1), stranger);
    await under.settled();
    expect(under.now.made).toEqual([10]);
  });
});
