import { expect, it } from 'vitest';
import { createSingleFlight } from '../../src/base/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';

/** Returns a fake clock, the calls started so far (the test settles them), and `ask`. */
function start(keepMs: number) {
  const clock = createFakeClock(0);
  const once = createSingleFlight<number>({ clock, keepMs });
  const calls: PromiseWithResolvers<number>[] = [];
  const ask = (key = 'ada') =>
    once(key, () => {
      const call = Promise.withResolvers<number>();
      calls.push(call);
      return call.promise;
    });
  return { clock, calls, ask };
}

it('createSingleFlight shares a call among callers of one key only while it is in flight', async () => {
  const { clock, calls, ask } = start(0);
  const asked = [ask(), ask(), ask('ben')];
  await clock.advance(60_000);
  asked.push(ask());
  calls[0]?.resolve(1);
  calls[1]?.resolve(2);
  expect(await Promise.all(asked)).toEqual([1, 1, 2, 1]);
  void ask();
  expect(calls).toHaveLength(3);
});

it('createSingleFlight keeps a result until keepMs after its call started', async () => {
  const { clock, calls, ask } = start(2_000);
  const first = ask();
  await clock.advance(1_999);
  calls[0]?.resolve(1);
  expect([await first, await ask()]).toEqual([1, 1]);
  await clock.advance(1);
  void ask();
  expect(calls).toHaveLength(2);
});

it('createSingleFlight keeps no failed result', async () => {
  const { calls, ask } = start(2_000);
  const both = Promise.allSettled([ask(), ask()]);
  calls[0]?.reject(new Error('no'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  void ask();
  expect(calls).toHaveLength(2);
});

it('createSingleFlight drops a kept result when the clock is set back', async () => {
  const times = [1_000_000, 0];
  const clock = { ...createFakeClock(), now: () => times.shift() ?? 0 };
  const once = createSingleFlight<number>({ clock, keepMs: 2_000 });
  expect([await once('ada', async () => 1), await once('ada', async () => 2)]).toEqual([1, 2]);
});
