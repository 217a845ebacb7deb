import { expect, it } from 'vitest';
import { pauseReason, probeDelay } from '../../src/transfers/index.ts';

it('pauses a link for what its folder is to blame for, and for nothing of a file’s own', () => {
  const codes = ['DESTINATION_GONE', 'SERVICE_FORBIDDEN', 'RECORD_UNSEEN'] as const;
  expect(codes.map(pauseReason)).toEqual([
    'DESTINATION_GONE',
    'SERVICE_FORBIDDEN',
    'SERVICE_FORBIDDEN',
  ]);
  const own = ['SERVICE_BAD_REQUEST', 'SERVICE_REFUSED', 'SERVICE_UNAUTHORIZED'] as const;
  expect(own.map(pauseReason)).toEqual([null, null, null]);
});

it('tries a folder the less often the longer it has taken nothing, also where our clock went back', () => {
  const minutes = [-600, 0, 1, 5, 60, 10_000].map((paused) => probeDelay(paused * 60_000) / 60_000);
  expect(minutes).toEqual([1, 1, 1, 5, 60, 60]);
});
