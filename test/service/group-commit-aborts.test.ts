import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { rejectionOf } from './client-under-test.ts';
import { recordOf, useGroupCommit } from './group-commit-under-test.ts';

const under = useGroupCommit();

describe('a caller who gives up', () => {
  const reason = new Error('enough');

  test('in line, alone: the place is no longer asked for', async () => {
    const controller = new AbortController();
    const one = rejectionOf(under.file(1, { signal: controller.signal }));
    controller.abort(reason);
    expect(await one).toBe(reason);
    expect(under.now.throttle.waiting()).toBe(0);
    const next = under.file(2);
    await under.grant();
    under.now.sent[0]?.answer(recordOf(2));
    expect((await next)?.id).toBe(20);
  });

  test('in line, with others: they go without', async () => {
    const controller = new AbortController();
    const one = rejectionOf(under.file(1, { signal: controller.signal }));
    void under.file(2);
    controller.abort(reason);
    expect(await one).toBe(reason);
    await under.grant();
    expect(under.now.sent[0]?.attachments).toEqual([2]);
  });

  test('on the way, with others: the request goes on for them', async () => {
    const controller = new AbortController();
    const one = rejectionOf(under.file(1, { signal: controller.signal }));
    const two = under.file(2);
    await under.grant();
    controller.abort(reason);
    expect(await one).toBe(reason);
    expect(under.now.sent[0]?.signal.aborted).toBe(false);
    under.now.sent[0]?.answer(recordOf(1), recordOf(2));
    expect((await two)?.id).toBe(20);
  });

  test('on the way, the last of all: the request ends', async () => {
    const controller = new AbortController();
    const files = [1, 2].map((id) => rejectionOf(under.file(id, { signal: controller.signal })));
    await under.grant();
    controller.abort(reason);
    expect(await Promise.all(files)).toEqual([reason, reason]);
    await under.settled();
    expect(under.now.sent[0]?.signal.aborted).toBe(true);
    expect(under.now.throttle.open()).toBe(0);
  });

  test('before asking is not heard at all', async () => {
    expect(await rejectionOf(under.file(1, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(under.now.throttle.requests).toHaveLength(0);
  });

  test('or not: no listener stays on the signal', async () => {
    const { signal } = new AbortController();
    const one = under.file(1, { signal });
    await under.grant();
    under.now.sent[0]?.answer(recordOf(1));
    await one;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
