import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createSharedReadings } from '../../src/service/shared-readings.ts';

/** Begins readings that the test settles. */
function start() {
  const { share } = createSharedReadings<string>();
  const begun: (PromiseWithResolvers<string> & { signal: AbortSignal })[] = [];
  const ask = (now: number, given: { notBefore?: number; signal?: AbortSignal } = {}) =>
    share({ key: 'a', now, ...given }, (signal) => {
      const reading = { ...Promise.withResolvers<string>(), signal };
      begun.push(reading);
      return reading.promise;
    });
  return { ask, begun };
}

it('callers share a reading in progress, unless it began too early for them', async () => {
  const { ask, begun } = start();
  const answers = [ask(1), ask(2), ask(3, { notBefore: 2 }), ask(4, { notBefore: 2 })];
  expect(begun).toHaveLength(2);
  begun[0]?.resolve('first');
  begun[1]?.resolve('second');
  expect(await Promise.all(answers)).toEqual(['first', 'first', 'second', 'second']);
  void ask(5);
  expect(begun).toHaveLength(3);
});

it('a reading goes on while somebody waits for it, and is aborted once nobody does', async () => {
  const { ask, begun } = start();
  const leaving = [new AbortController(), new AbortController()] as const;
  const gone = leaving.map(({ signal }) => ask(1, { signal }).catch(() => 'left'));
  leaving[0].abort();
  await gone[0];
  expect(begun[0]?.signal.aborted).toBe(false);
  leaving[1].abort();
  await gone[1];
  expect(begun[0]?.signal.aborted).toBe(true);
});

it('a reading that is over leaves no listener that keeps what it read in memory', async () => {
  const { ask, begun } = start();
  const caller = new AbortController();
  const answer = ask(1, { signal: caller.signal });
  begun[0]?.resolve('read');
  await answer;
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});
