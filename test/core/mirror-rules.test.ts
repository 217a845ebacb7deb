import { expect, it } from 'vitest';
import {
  changeBy,
  isAnotherFile,
  isProof,
  type KnownRecord,
  orderOfNumbers,
} from '../../src/core/index.ts';
import { fileRecord } from '../support/builders.ts';

const NOON = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60_000;
const was = fileRecord({ id: 7, name: 'a.pdf', byteSize: 10, createdAt: NOON });
const known: KnownRecord = { ...was, firstSeen: 3, changedIn: 5, goneSince: null };

it.each([
  ['created more than five minutes later', { createdAt: NOON + 5 * MINUTE + 1 }, true],
  ['created within five minutes', { createdAt: NOON + 5 * MINUTE, name: 'b', byteSize: 1 }, false],
  ['created earlier, as a clock says', { createdAt: NOON - 60 * MINUTE }, false],
  ['without a time, of another name and size', { createdAt: null, name: 'b', byteSize: 1 }, true],
  ['without a time, renamed', { createdAt: null, name: 'b' }, false],
  ['without a time, of another size', { createdAt: null, byteSize: 1 }, false],
])('a record %s is another file, or not', (_what, changes, isAnother) => {
  expect(isAnotherFile(was, { ...was, ...changes })).toBe(isAnother);
});

it.each([
  ['is unknown', undefined, was, 9, 'added'],
  ['is as known', known, was, 9, 'none'],
  ['was renamed', known, { ...was, name: 'b.pdf' }, 9, 'changed'],
  ['was renamed before the last write', known, { ...was, name: 'b.pdf' }, 5, 'none'],
  ['is there again', { ...known, goneSince: 1 }, was, 9, 'changed'],
  ['is another file', known, { ...was, createdAt: NOON * 2 }, 9, 'added'],
] as const)('a list changes a record that %s', (_what, before, listed, asked, change) => {
  expect(changeBy(before, listed, asked)).toBe(change);
});

it('numbers have an order only if all of them are sorted', () => {
  expect(orderOfNumbers([1, 4, 9])).toBe('oldest-first');
  expect(orderOfNumbers([9, 4, 1])).toBe('newest-first');
  expect(orderOfNumbers([1, 9, 4])).toBeNull();
  expect(orderOfNumbers([4])).toBeNull();
});

it.each([
  ['sorted pages', { order: 'newest-first', paged: true, read: 5, length: 4 }, 'yes'],
  ['one answer in no order', { order: null, paged: false, read: 4, length: 4 }, 'yes'],
  ['unsorted pages, as long as their end says', { read: 4, length: 4 }, 'twice'],
  ['unsorted pages that changed meanwhile', { read: 5, length: 4 }, 'no'],
] as const)('%s prove what is gone, or not', (_what, list, proof) => {
  expect(isProof({ order: null, paged: true, ...list })).toBe(proof);
});
