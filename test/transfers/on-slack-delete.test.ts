import { expect, it } from 'vitest';
import { countsAsPress } from '../../src/transfers/index.ts';

it.each([
  // Only its author and admins can delete a message.
  [true, { withMessage: true, uploader: 'U2' }],
  [true, { withMessage: false, uploader: 'U1' }],
  // Somebody who shared another person's file has not said that it is to go.
  [false, { withMessage: false, uploader: 'U2' }],
  [false, { withMessage: false, uploader: null }],
])('counts as the sharer’s press: %s for %o', (counts, deleted) => {
  expect(countsAsPress({ ...deleted, sharer: 'U1' })).toBe(counts);
});
