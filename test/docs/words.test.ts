import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blockKitProblems } from '../support/block-kit-limits.ts';
import { constantViews, viewMakers } from '../support/source-files.ts';
import { chapters } from './sample-views.ts';
import { wordsDocument } from './words-document.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/words.md', () => {
  it('has the text that npm run docs:words writes', () => {
    expect(read('docs/words.md')).toBe(wordsDocument());
  });

  it('shows every view', () => {
    const views = [...viewMakers().map((name) => `${name}(`), ...Object.keys(constantViews())];
    expect(views.length).toBeGreaterThan(30);
    const samples = read('test/docs/sample-views.ts');
    expect(views.filter((name) => !samples.includes(`blocks.${name}`))).toEqual([]);
  });

  it.each(chapters().flatMap(({ title, samples }) => samples.map((one) => ({ title, ...one }))))(
    'shows a view without Block Kit problems: $title: $when',
    ({ view }) => {
      expect(blockKitProblems(view)).toEqual([]);
    },
  );

  it('has no null, undefined or NaN, HTTP request, media type or Slack file identifier', () => {
    const technical =
      /\b(undefined|null|NaN)\b|\b(GET|POST|DELETE) \/|\bapplication\/|\bF0[A-Z0-9]{6,}/;
    const words = wordsDocument();
    expect(words.split('\n').filter((line) => technical.test(line))).toEqual([]);
  });
});
