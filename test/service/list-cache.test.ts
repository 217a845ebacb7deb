import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { ServiceError, type ServiceErrorCode } from '../../src/service/errors.ts';
import { createListCache, MAX_LISTS, orOlderCopy } from '../../src/service/list-cache.ts';
import { createFakeClock } from '../support/fake-clock.ts';

interface Weighed {
  weight: number;
  fetchedAt: number;
}

function start() {
  const clock = createFakeClock();
  const cache = createListCache<Weighed>({
    clock,
    capacity: 25,
    weigh: ({ weight }) => weight,
    keepMs: ({ weight }) => (weight > 10 ? 120_000 : 60_000),
  });
  const readingOf = (key: string) => ({ key, by: 'bulk' });
  const keep = (key: string, weight: number, fetchedAt = clock.now()) =>
    cache.join({ ...readingOf(key), now: fetchedAt }, async () => ({ weight, fetchedAt }));
  const kept = () => ['a', 'b', 'c'].filter((key) => cache.copyOf(key) !== undefined);
  return { clock, cache, readingOf, keep, kept };
}

test('the list cache drops the least recently used lists by their weight', async () => {
  const { cache, keep, kept } = start();
  await keep('a', 10);
  await keep('b', 10);
  cache.copyOf('a');
  await keep('c', 10);
  expect(kept()).toEqual(['a', 'c']);
});

test('the list cache keeps no list above its capacity, and drops no other for it', async () => {
  const { keep, kept } = start();
  await keep('a', 10);
  await keep('b', 26);
  expect(kept()).toEqual(['a']);
  await keep('a', 26);
  expect(kept()).toEqual([]);
});

test('the list cache counts only the weight of a list that replaces another', async () => {
  const { keep, kept } = start();
  for (let time = 0; time < 5; time += 1) await keep('a', 10);
  await keep('b', 10);
  expect(kept()).toEqual(['a', 'b']);
});

test('the list cache drops a list that is older than it may be', async () => {
  const { clock, keep, kept } = start();
  await keep('a', 10);
  await keep('b', 11);
  await clock.advance(60_000);
  expect(kept()).toEqual(['a', 'b']);
  await clock.advance(1);
  expect(kept()).toEqual(['b']);
});

test('the list cache drops lists from before the clock was set back: their age is unknown', async () => {
  const { clock, keep, kept } = start();
  await keep('a', 1, clock.now() + 1);
  await keep('b', 1);
  expect(kept()).toEqual(['b']);
});

test('the list cache remembers so many lists, the most recently used ones', async () => {
  const { cache, keep } = start();
  await keep('a', 1);
  await keep('b', 1);
  for (let nth = 0; nth < MAX_LISTS - 1; nth += 1) cache.recall(`typed ${nth}`);
  expect(cache.copyOf('b')).toBeDefined();
  expect(cache.copyOf('a')).toBeUndefined();
});

test('the list cache leaves no listener that keeps a list alive on the signal of a finished read', async () => {
  const { cache, readingOf } = start();
  let given: AbortSignal | undefined;
  const list = { weight: 1, fetchedAt: 0 };
  const brought = await cache.join({ ...readingOf('a'), now: 0 }, async (signal) => {
    given = signal;
    return list;
  });
  expect(brought).toBe(list);
  expect(getEventListeners(given as AbortSignal, 'abort')).toHaveLength(0);
});

test.each<[ServiceErrorCode, number[]]>([
  ['SERVICE_PERSON_LIMIT', [0, 60_000]],
  ['SERVICE_FAILED', [0]],
])('orOlderCopy, on %s, asks for lists up to these ages in ms: %j', async (code, expected) => {
  const asked: number[] = [];
  const failing = async ({ maxAgeMs }: { maxAgeMs: number }) => {
    asked.push(maxAgeMs);
    if (maxAgeMs === 0) throw new ServiceError(code, 'no', { retry: 'later', sent: 'no' });
    return 'a copy';
  };
  const answer = orOlderCopy(
    { call: { lane: 'interactive' } },
    { wanted: 0, oldest: 60_000 },
    failing,
  );
  if (expected.length === 2) expect(await answer).toBe('a copy');
  else await expect(answer).rejects.toMatchObject({ code });
  expect(asked).toEqual(expected);
});
