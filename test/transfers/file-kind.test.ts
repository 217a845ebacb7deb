import { expect, it } from 'vitest';
import { kindOf } from '../../src/transfers/index.ts';

it.each([
  ['a.PNG', null, 'image'],
  ['a.tar.gz', null, 'archive'],
  ['plan.pdf', 'image', 'document'],
  ['plan', 'pdf', 'document'],
  ['plan', null, 'other'],
  ['a.xyz', null, 'other'],
  ['a.constructor', null, 'other'],
  ['film.mp4', null, 'video'],
])('%s of type %s is of kind %s', (name, fileType, kind) => {
  expect(kindOf({ name, fileType })).toBe(kind);
});
