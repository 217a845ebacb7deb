import { expect, it } from 'vitest';
import { appRandom, createRng, pickAt } from './random.ts';

const draw = (rng: ReturnType<typeof createRng>) =>
  Array.from({ length: 50 }, () => rng.int(0, 1_000));

it('createRng draws the same values for the same seed, and others for another', () => {
  expect(draw(createRng(1))).toEqual(draw(createRng(1)));
  expect(draw(createRng(1))).not.toEqual(draw(createRng(2)));
});

it('createRng gives forks whose draws change nothing elsewhere', () => {
  const int = createRng(1);
  draw(int.fork('service'));
  expect(draw(int)).toEqual(draw(createRng(1)));
  expect(draw(int.fork('service'))).not.toEqual(draw(int.fork('slack')));
});

it('createRng draws within its bounds, both included', () => {
  const rng = createRng(3);
  const drawn = new Set(Array.from({ length: 300 }, () => rng.int(2, 5)));
  expect([...drawn].sort()).toEqual([2, 3, 4, 5]);
});

it('appRandom makes different identifiers in the form of a UUID', () => {
  const random = appRandom(createRng(1));
  const ids = Array.from({ length: 100 }, () => random.id());
  expect(new Set(ids).size).toBe(100);
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
});

it('pickAt picks by a fraction, and throws for an empty list', () => {
  expect(pickAt(['a', 'b'], 0.99)).toBe('b');
  expect(() => pickAt([], 0)).toThrow('nothing to pick');
});
