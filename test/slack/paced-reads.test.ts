import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/index.ts';
import { createPace } from '../../src/slack/paced-reads.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const EVERY_MS = 1_000;

function paced(clock: Clock) {
  const pace = createPace(EVERY_MS, clock);
  return (atLeastMs = 0, { signal } = new AbortController()) => pace(atLeastMs, signal);
}

describe('a pace', () => {
  it('spaces calls evenly', async () => {
    const clock = createFakeClock(0);
    const pace = paced(clock);
    const at: number[] = [];
    const calls = [1, 2, 3].map(() => pace().then(() => at.push(clock.now())));
    await calls[0];
    await clock.advance(10_000);
    await Promise.all(calls);
    expect(at).toEqual([0, 1_000, 2_000]);
  });

  it('makes later calls wait for one that must wait longer', async () => {
    const clock = createFakeClock(0);
    const pace = paced(clock);
    const at: number[] = [];
    const calls = [30_000, 0].map((atLeastMs) => pace(atLeastMs).then(() => at.push(clock.now())));
    await clock.advance(60_000);
    await Promise.all(calls);
    expect(at).toEqual([30_000, 31_000]);
  });

  it('ends one wait when its signal aborts, and none begins after that', async () => {
    const clock = createFakeClock(0);
    const pace = paced(clock);
    const call = new AbortController();
    const one = pace(60_000, call);
    const other = pace();
    call.abort(new Error('not wanted'));
    await expect(one).rejects.toThrow('not wanted');
    await expect(pace(0, call)).rejects.toThrow('not wanted');
    await clock.advance(60_000 + EVERY_MS);
    await other;
  });
});
