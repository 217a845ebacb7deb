import { expect, it } from 'vitest';
import { shown, shownMiB, shownPercent, shownRatio } from './shown-figure.ts';
import { renderMarkdown, renderText } from './table.ts';

const table = {
  title: 'Seconds',
  columns: ['app', 'seconds'],
  rows: [
    ['ours', '9.50'],
    ['the other one', '10.0'],
  ],
};

it('renderText aligns figures for a terminal', () => {
  expect(renderText(table).split('\n')).toEqual([
    'Seconds',
    '',
    'app            seconds',
    '──────────────────────',
    'ours              9.50',
    'the other one     10.0',
  ]);
});

it('renderMarkdown writes a table of Markdown', () => {
  expect(renderMarkdown(table).split('\n')).toEqual([
    '**Seconds**',
    '',
    '| app | seconds |',
    '| --- | ---: |',
    '| ours | 9.50 |',
    '| the other one | 10.0 |',
  ]);
});

it('shown prints the significant digits, and a dash for a missing figure', () => {
  const figures = [0.01234, 1.234, 12.34, 123.4, 7, Number.NaN, Number.POSITIVE_INFINITY];
  expect(figures.map(shown)).toEqual(['0.012', '1.23', '12.3', '123', '7', '–', 'never']);
});

it('the table’s figures print ratios, shares and sizes', () => {
  expect([shownRatio(3, 2), shownRatio(3, Number.NaN)]).toEqual(['1.50×', '–']);
  expect([shownPercent(0.9234), shownPercent(Number.NaN)]).toEqual(['92.3%', '–']);
  expect(shownMiB(3.5 * 1024 * 1024)).toBe('3.50');
});
