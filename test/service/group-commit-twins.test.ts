import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/service/service-error.ts';
import { rejectionOf } from './client-under-test.ts';
import { recordOf, useGroupCommit } from './group-commit-under-test.ts';

const under = useGroupCommit();

describe('twins: same folder, name and size', () => {
  test('are never on their way at the same time', async () => {
    const first = under.file(1, { name: 'Prüfung.pdf' });
    const second = under.file(2, { name: 'Pru\u0308fung.pdf', lane: 'interactive' });
    const third = under.file(3);
    await under.grant();
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1, 3]]);
    expect(under.now.throttle.outcomes).toMatchObject([{ sent: false }]);
    under.now.sent[0]?.answer(recordOf(1, 'Prüfung.pdf'), recordOf(3));
    await Promise.all([first, third]);
    await under.settled();
    await under.grant();
    expect(under.now.sent[1]).toMatchObject({ attachments: [2] });
    under.now.sent[1]?.answer(recordOf(2));
    expect((await second)?.id).toBe(20);
  });

  test('wait for each other though the first fails', async () => {
    const first = under.file(1, { name: 'a' });
    const second = under.file(2, { name: 'a' });
    await under.grant();
    expect(under.now.sent).toHaveLength(1);
    expect(under.now.throttle.waiting()).toBe(0);
    under.now.sent[0]?.fail(
      new ServiceError('SERVICE_FAILED', 'failed', { retry: 'later', sent: 'unknown' }),
    );
    expect(await rejectionOf(first)).toMatchObject({ code: 'SERVICE_FAILED' });
    await under.settled();
    await under.grant();
    under.now.sent[1]?.answer(recordOf(2));
    expect((await second)?.id).toBe(20);
  });

  test('wait though the caller of the first has given up', async () => {
    const controller = new AbortController();
    const first = rejectionOf(under.file(1, { name: 'a', signal: controller.signal }));
    const companion = under.file(3);
    await under.grant();
    controller.abort(new Error('enough'));
    await first;
    void under.file(2, { name: 'a' });
    await under.settled();
    expect(under.now.throttle.waiting()).toBe(0);
    under.now.sent[0]?.answer(recordOf(3), recordOf(1, 'a'));
    await companion;
    await under.settled();
    expect(under.now.throttle.waiting()).toBe(1);
  });

  test('wait while a refused one is looked for in the folder: its record could be taken for theirs', async () => {
    const look = Promise.withResolvers<null>();
    const refused = { retry: 'never', sent: 'yes', status: 400 } as const;
    void under.file(1, { name: 'a', findLeft: () => look.promise });
    void under.file(3, { findLeft: async () => null });
    await under.grant();
    void under.file(2, { name: 'a' });
    under.now.sent[0]?.fail(new ServiceError('SERVICE_BAD_REQUEST', 'refused', refused));
    await under.settled();
    void under.file(4);
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1, 3], [4]]);
    look.resolve(null);
    await under.settled();
    await under.grant();
    expect(under.now.sent[2]?.attachments).toEqual([1]);
  });

  test('of another size are none', async () => {
    void under.file(1, { name: 'a', byteSize: 1 });
    void under.file(2, { name: 'a', byteSize: 2 });
    await under.grant();
    expect(under.now.sent[0]?.attachments).toEqual([1, 2]);
  });
});
