import { expect, it } from 'vitest';
import { createChance, pickAt, randomFrom } from './random.ts';

const draw = (chance: ReturnType<typeof createChance>) =>
  Array.from({ length: 50 }, () => chance.whole(0, 1_000));

it('createChance draws the same values for the same seed, and others for another', () => {
  expect(draw(createChance(1))).toEqual(draw(createChance(1)));
  expect(draw(createChance(1))).not.toEqual(draw(createChance(2)));
});

it('createChance gives forks whose draws change nothing elsewhere', () => {
  const whole = createChance(1);
  draw(whole.fork('service'));
  expect(draw(whole)).toEqual(draw(createChance(1)));
  expect(draw(whole.fork('service'))).not.toEqual(draw(whole.fork('slack')));
});

it('createChance draws within its bounds, both included', () => {
  const chance = createChance(3);
  const drawn = new Set(Array.from({ length: 300 }, () => chance.whole(2, 5)));
  expect([...drawn].sort()).toEqual([2, 3, 4, 5]);
});

it('randomFrom makes different identifiers in the form of a UUID', () => {
  const random = randomFrom(createChance(1));
  const ids = Array.from({ length: 100 }, () => random.id());
  expect(new Set(ids).size).toBe(100);
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
});

it('pickAt picks by a fraction, and throws for an empty list', () => {
  expect(pickAt(['a', 'b'], 0.99)).toBe('b');
  expect(() => pickAt([], 0)).toThrow('nothing to pick');
});
