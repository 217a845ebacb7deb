import { expect, it } from 'vitest';
import { createSingleFlight } from '../../src/base/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';

/** Calls that bring their number, as far as they are let. */
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

it('shares a call by all who ask for the same while it is under way, and no longer', async () => {
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

it('keeps a result for a while from when it was asked for', async () => {
  const { clock, calls, ask } = start(2_000);
  const first = ask();
  await clock.advance(1_999);
  calls[0]?.resolve(1);
  expect([await first, await ask()]).toEqual([1, 1]);
  await clock.advance(1);
  void ask();
  expect(calls).toHaveLength(2);
});

it('keeps no failure', async () => {
  const { calls, ask } = start(2_000);
  const both = Promise.allSettled([ask(), ask()]);
  calls[0]?.reject(new Error('no'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  void ask();
  expect(calls).toHaveLength(2);
});

it('keeps nothing because the clock was set back', async () => {
  const times = [1_000_000, 0];
  const clock = { ...createFakeClock(), now: () => times.shift() ?? 0 };
  const once = createSingleFlight<number>({ clock, keepMs: 2_000 });
  expect([await once('ada', async () => 1), await once('ada', async () => 2)]).toEqual([1, 2]);
});
