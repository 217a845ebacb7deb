import { expect, it } from 'vitest';
import { shareLine } from '../../../src/surfaces/share-line/share-line.ts';
import { shareFile } from '../../support/builders.ts';
import { isSaveLine, textOf } from './shares.ts';

function lineOf(problems: readonly ('SERVICE_FORBIDDEN' | 'RECORD_UNSEEN')[]) {
  const files = problems.map((problem, n) =>
    shareFile(`${n} ${'long name '.repeat(6)}.pdf`, { phase: 'refused', problem }),
  );
  const saved = { by: 'U0ADA', messageUrl: null };
  const given = { shareId: 1, files, folder: null, operator: null, saved, sharedAt: 0, now: 0 };
  const { text, blocks } = shareLine(given);
  return { text, blocks: blocks.map((block) => ({ ...block })) };
}

it('textOf returns all words of the blocks, also where the text is shortened', () => {
  const line = { ...lineOf(['SERVICE_FORBIDDEN', 'RECORD_UNSEEN']), text: '1 of 2 couldn’t be…' };
  expect(textOf(line)).toMatch(/it may be there.*\nSaved by <@U0ADA>\.$/s);
  expect(isSaveLine(line)).toBe(true);
});

it('textOf returns the same as the text where nothing is shortened', () => {
  const line = lineOf(['SERVICE_FORBIDDEN']);
  expect(textOf(line)).toBe(line.text);
});

it('textOf returns the text if no block has words', () => {
  expect(textOf({ text: 'as text', blocks: [] })).toBe('as text');
});
