import { expect, it } from 'vitest';
import { fewestRequests, leastSeconds } from './burst.ts';

it('fewestRequests counts one upload for each file and one create for every 24', () => {
  expect([1, 24, 25, 72, 200].map(fewestRequests)).toEqual([2, 25, 27, 75, 209]);
});

it('leastSeconds returns the least time under 25 requests in 10 seconds', () => {
  expect(leastSeconds(25)).toEqual({ bursting: 0, steady: 10 });
  expect(leastSeconds(26).bursting).toBe(10);
  expect(leastSeconds(209)).toEqual({ bursting: 80, steady: 83.6 });
});
