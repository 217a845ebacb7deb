import { describe, expect, it } from 'vitest';
import { comesOtherwise, type SameFile } from '../../src/transfers/index.ts';

const other = (state: SameFile['state'], rest: Partial<SameFile> = {}): SameFile => ({
  ...{ state, refusedIn: null, leaseToken: null },
  ...rest,
});

describe('whether a file comes into its folder otherwise', () => {
  it.each<[string, SameFile[]]>([
    ['no', []],
    ['no', [other('parked'), other('deleted')]],
    ['no', [other('recorded')]],
    ['no', [other('refused', { refusedIn: 'recorded' })]],
    ['perhaps', [other('recorded', { leaseToken: 't' })]],
    ['yes', [other('uploaded')]],
    ['yes', [other('creating')]],
    ['yes', [other('created')]],
    ['yes', [other('recorded', { leaseToken: 't' }), other('filed')]],
    ['yes', [other('refused', { refusedIn: 'creating' })]],
    ['yes', [other('refused', { refusedIn: 'uploaded' })]],
  ])('%s: %j', (answer, others) => {
    expect(comesOtherwise(others)).toBe(answer);
  });
});
