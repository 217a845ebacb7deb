import { expect, it } from 'vitest';
import { createRefusalLog } from '../src/http-server.ts';
import { createFakeClock } from './support/fake-clock.ts';
import { createListLogger } from './support/list-logger.ts';

const MINUTE = 60_000;

function started() {
  const clock = createFakeClock();
  const { logger, lines } = createListLogger();
  return { clock, lines, refusals: createRefusalLog({ clock, logger }) };
}

it('the refusal log writes the first refused request at once, and later ones with a count each minute', async () => {
  const { clock, lines, refusals } = started();
  for (let n = 0; n < 1_000; n += 1) refusals.count(n % 2 ? 'not signed' : 'too large');
  expect(lines).toMatchObject([
    { level: 'warn', fields: { requests: 1, why: { 'too large': 1 } } },
  ]);
  await clock.advance(MINUTE - 1);
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  expect(lines.slice(1)).toMatchObject([
    { fields: { requests: 999, why: { 'too large': 499, 'not signed': 500 } } },
  ]);
  refusals.count('not signed');
  expect(lines).toHaveLength(2);
  await clock.advance(MINUTE);
  expect(lines).toHaveLength(3);
});

it('the refusal log is silent without refusals, and writes at once again after a quiet minute', async () => {
  const { clock, lines, refusals } = started();
  refusals.count('not signed');
  await clock.advance(10 * MINUTE);
  expect(lines).toHaveLength(1);
  expect(clock.sleepers()).toBe(0);
  refusals.count('not signed');
  expect(lines).toHaveLength(2);
});

it('the refusal log writes what is left at its close, and its timer ends', async () => {
  const { clock, lines, refusals } = started();
  for (let n = 0; n < 5; n += 1) refusals.count('too slow');
  await refusals.close();
  expect(lines.map(({ fields }) => fields['requests'])).toEqual([1, 4]);
  expect(clock.sleepers()).toBe(0);
});
