import { expect, it } from 'vitest';
import { createPersonalQuota } from '../../src/listeners/answer.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function start() {
  const clock = createFakeClock(0);
  const quota = createPersonalQuota({ clock, most: 2, windowMs: 10_000 });
  const taken = (person: string) => {
    const one = quota.take(person);
    if ('waitMs' in one) throw new Error(`${person} has none left`);
    return one;
  };
  return { clock, quota, taken };
}

it('a quota limits each person’s requests that run or ended in the window', async () => {
  const { clock, quota, taken } = start();
  const first = taken('ada');
  taken('ada');
  expect(quota.take('ada')).toEqual({ waitMs: 1_000 });
  taken('ben');
  first.end();
  expect(quota.take('ada')).toEqual({ waitMs: 10_000 });
  await clock.advance(9_999);
  expect(quota.take('ada')).toEqual({ waitMs: 1_000 });
  await clock.advance(1);
  taken('ada');
});

it('a quota makes nobody wait because the clock was set back', () => {
  const times = [1_000_000, 1_000_000, 0, 0];
  const clock = { ...createFakeClock(), now: () => times.shift() ?? 0 };
  const quota = createPersonalQuota({ clock, most: 1, windowMs: 10_000 });
  const first = quota.take('ada');
  if ('end' in first) first.end();
  expect(quota.take('ada')).toHaveProperty('end');
});
