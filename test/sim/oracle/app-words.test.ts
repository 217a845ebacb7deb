import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as words from './app-words.ts';

const documented = readFileSync(new URL('../../../docs/words.md', import.meta.url), 'utf8');
const lines = documented.split('\n').map((line) => line.replace(/^\| /, ''));

it.each(Object.entries(words))('the app says what the oracle knows as %s', (_, pattern) => {
  expect(lines.filter((line) => pattern.test(line))).not.toEqual([]);
});
