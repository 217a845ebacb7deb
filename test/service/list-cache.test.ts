import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createCopies, createReadings } from '../../src/service/list-cache.ts';
import { createFakeClock } from '../support/fake-clock.ts';

interface Weighed {
  weight: number;
  fetchedAt: number;
}

function start() {
  const clock = createFakeClock();
  const copies = createCopies<Weighed>({
    clock,
    capacity: 25,
    weigh: ({ weight }) => weight,
    keepMs: ({ weight }) => (weight > 10 ? 120_000 : 60_000),
  });
  const keep = (key: string, weight: number) =>
    copies.keep(key, { weight, fetchedAt: clock.now() });
  const kept = () => ['a', 'b', 'c'].filter((key) => copies.get(key) !== undefined);
  return { clock, copies, keep, kept };
}

test('a copy gives way to those used since, by what they weigh', () => {
  const { copies, keep, kept } = start();
  keep('a', 10);
  keep('b', 10);
  copies.get('a');
  keep('c', 10);
  expect(kept()).toEqual(['a', 'c']);
});

test('what weighs more than all may weigh is not kept, and takes no other away', () => {
  const { keep, kept } = start();
  keep('a', 10);
  keep('b', 26);
  expect(kept()).toEqual(['a']);
  keep('a', 26);
  expect(kept()).toEqual([]);
});

test('a copy that takes the place of another weighs alone', () => {
  const { keep, kept } = start();
  for (let time = 0; time < 5; time += 1) keep('a', 10);
  keep('b', 10);
  expect(kept()).toEqual(['a', 'b']);
});

test('a copy goes when it is older than it may be', async () => {
  const { clock, keep, kept } = start();
  keep('a', 10);
  keep('b', 11);
  await clock.advance(60_000);
  expect(kept()).toEqual(['a', 'b']);
  await clock.advance(1);
  expect(kept()).toEqual(['b']);
});

test('a copy from before the clock was set back goes: nobody knows how old it is', () => {
  const { clock, copies, keep, kept } = start();
  copies.keep('a', { weight: 1, fetchedAt: clock.now() + 1 });
  keep('b', 1);
  expect(kept()).toEqual(['b']);
});

test('who still has the signal of a reading that is over holds nothing of what it brought', async () => {
  let given: AbortSignal | undefined;
  const brought = await createReadings<string>().share('a', { now: 0 }, async (signal) => {
    given = signal;
    return 'a long list';
  });
  expect(brought).toBe('a long list');
  expect(getEventListeners(given as AbortSignal, 'abort')).toHaveLength(0);
});
