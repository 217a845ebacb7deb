import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DOCUMENT = readFileSync('docs/security.md', 'utf8');

it('docs/security.md names only existing tests', () => {
  const named = [...DOCUMENT.matchAll(/`((?:test|src)\/[^`]+)`/g)].map(([, path]) => String(path));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it('docs/security.md names for each attack a test of the defence', () => {
  const [, attackers = ''] = DOCUMENT.split('## Who could attack');
  const rows = attackers.split('\n').filter((line) => /^\| (?!attack|---)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !/\| `test\/.*` \|$/.test(row))).toEqual([]);
});
