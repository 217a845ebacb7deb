import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/index.ts';
import { createLiveParts } from '../../../src/playground/page-server/live-parts.ts';
import type { Parts, PartsUpdate } from '../../../src/playground/page-server/parts.ts';

function livePartsOf(parts: Parts) {
  let readings = 0;
  const read = async () => {
    readings += 1;
    return new Map(parts);
  };
  const live = createLiveParts({ read, clock: systemClock, everyMs: 1 });
  onTestFinished(() => live.stop());
  return { live, readings: () => readings };
}

/** Collects the updates that a listener gets, in order. */
function updatesOf(live: ReturnType<typeof createLiveParts>) {
  const come: PartsUpdate[] = [];
  let wake = () => {};
  const leave = live.listen((update) => {
    come.push(update);
    wake();
  });
  const next = async (): Promise<PartsUpdate> => {
    const update = come.shift();
    if (update) return update;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    return next();
  };
  return { next, leave };
}

test('a listener gets all parts, then those that change, appear or disappear', async () => {
  const parts: Parts = new Map<string, unknown>([
    ['a', { n: 1 }],
    ['b', 2],
  ]);
  const { live } = livePartsOf(parts);
  const { next } = updatesOf(live);
  expect(await next()).toEqual({ whole: true, set: { a: { n: 1 }, b: 2 }, gone: [] });
  parts.set('a', { n: 3 }).set('c', 4).delete('b');
  live.touch();
  expect(await next()).toEqual({ whole: false, set: { a: { n: 3 }, c: 4 }, gone: ['b'] });
});

test('a later listener gets everything, and the others nothing', async () => {
  const { live } = livePartsOf(new Map([['a', 1]]));
  const first = updatesOf(live);
  await first.next();
  const second = updatesOf(live);
  expect(await second.next()).toEqual({ whole: true, set: { a: 1 }, gone: [] });
  expect(live.listeners()).toBe(2);
  first.leave();
  expect(live.listeners()).toBe(1);
});

test('parts are not read while nobody listens', async () => {
  const { live, readings } = livePartsOf(new Map([['a', 1]]));
  live.touch();
  await live.stop();
  expect(readings()).toBe(0);
});
