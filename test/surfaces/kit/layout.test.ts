import { expect, it } from 'vitest';
import {
  detailsBeside,
  entry,
  heading,
  pageOf,
  smallPrint,
  spokenText,
} from '../../../src/surfaces/kit/layout.ts';
import { line, prose } from '../../../src/surfaces/kit/prose.ts';
import { mrkdwnProblems } from '../../support/block-kit-limits.ts';

it('pageOf returns the nearest page that exists', () => {
  expect(pageOf(['a', 'b', 'c'], 2, 2)).toEqual({ items: ['c'], page: 2, pages: 2 });
  expect(pageOf(['a', 'b', 'c'], 2, 9)).toEqual({ items: ['c'], page: 2, pages: 2 });
  expect(pageOf(['a'], 2, -1)).toEqual({ items: ['a'], page: 1, pages: 1 });
  expect(pageOf([], 2, 1)).toEqual({ items: [], page: 1, pages: 1 });
});

it('spokenText returns the words of blocks, escaped, and of a link only its label', () => {
  const url = 'https://acme.example/1';
  const blocks = [
    heading('R&D › <Plans>'),
    smallPrint('2 files'),
    entry({ name: 'R&D', url, after: '.pdf' }, null),
    detailsBeside(['1 kB', 'R&D', { person: 'U012ABCDEF' }], null),
    prose(line`Filed: ${{ file: '<!here>', url }} in ${{ channel: 'C012ABCDEF' }}.`),
  ];
  expect(spokenText(blocks).split('\n')).toEqual([
    ...['R&amp;D › &lt;Plans&gt;', '2 files', 'R&amp;D.pdf'],
    '1 kB · R&amp;D · <@U012ABCDEF>',
    'Filed: &lt;!here&gt; in <#C012ABCDEF>.',
  ]);
});

it.each(['&', '<', 'a&', 'ab<'])('spokenText of many %j is as long as Slack advises', (word) => {
  const text = spokenText(Array.from({ length: 9 }, () => smallPrint(word.repeat(999))));
  expect(text.length).toBeLessThanOrEqual(4_000);
  expect(text).toMatch(/…$/);
  expect(mrkdwnProblems('text', text)).toEqual([]);
});
