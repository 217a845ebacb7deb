import { expect, it } from 'vitest';
import { readPlaygroundOptions } from '../../src/playground/playground-options.ts';

it.each([
  [[], 'specified'],
  [['--service', 'specified'], 'specified'],
  [['--service', 'real'], 'real'],
])('%j starts the service in its profile %s', (args, profile) => {
  expect(readPlaygroundOptions(args, undefined).profile).toBe(profile);
});
