import { expect, it } from 'vitest';
import { renderMarkdown, renderText } from './render.ts';

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
