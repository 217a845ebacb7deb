import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/base/index.ts';
import { LINK_BY } from '../../src/core/index.ts';
import type { View } from '../../src/surfaces/kit/layout.ts';
import { type Doing, FAILED } from '../../src/surfaces/kit/service-trouble.ts';
import { blockKitProblems } from '../support/block-kit-limits.ts';
import { shareFile } from '../support/builders.ts';
import { shown } from '../support/shown-view.ts';
import { constantViews, viewMakers } from '../support/source-files.ts';
import * as blocks from '../support/views.ts';
import { chapters } from './sample-views.ts';
import { wordsDocument } from './words-document.ts';

const wordsIn = (line: string) => line.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** Returns the lines of a view as people read them; what a button says and asks is read by itself. */
function linesOf(view: View): string[] {
  const lines = shown(view).split('\n');
  return lines
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2).replace(/ {2}\[.*$/, ''))
    .map((line) => line.replace(/\[([^\]]*) → [^\]]*\]/g, '$1').replace(/\{\d+: ([^}]*)\}/g, '$1'));
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/words.md', () => {
  it('has the text that npm run docs:words writes', () => {
    expect(read('docs/words.md')).toBe(wordsDocument());
  });

  it('shows every view', () => {
    const views = [...viewMakers().map((name) => `${name}(`), ...Object.keys(constantViews())];
    expect(views.length).toBeGreaterThan(30);
    const samples = read('test/docs/sample-views.ts');
    const missing = views.filter((name) => !samples.includes(`blocks.${name}`));
    expect(missing, 'Give each a sample in test/docs/sample-views.ts').toEqual([]);
  });

  it.each(chapters().flatMap(({ title, samples }) => samples.map((one) => ({ title, ...one }))))(
    'shows a view without Block Kit problems: $title: $when',
    ({ view }) => {
      expect(blockKitProblems(view)).toEqual([]);
    },
  );

  it('has no line in a thread above 25 words, and none elsewhere above 30', () => {
    const long = chapters().flatMap(({ title, samples }) =>
      samples.flatMap(({ view }) =>
        linesOf(view).filter((line) => wordsIn(line) > (title === 'Sharing files' ? 25 : 30)),
      ),
    );
    expect(long).toEqual([]);
  });

  it('has no null, undefined or NaN, HTTP request, media type or Slack file identifier', () => {
    const technical =
      /\b(undefined|null|NaN)\b|\b(GET|POST|DELETE) \/|\bapplication\/|\bF0[A-Z0-9]{6,}/;
    const words = wordsDocument();
    expect(words.split('\n').filter((line) => technical.test(line))).toEqual([]);
  });
});

const NOW = Date.UTC(2025, 2, 14, 14, 30);
const yesNo = [true, false];
const PEOPLE = yesNo.flatMap((mayLink) =>
  yesNo.flatMap((mayRetry) => LINK_BY.map((linkBy) => ({ mayLink, mayRetry, linkBy }))),
);
const OPERATORS = [null, 'Ada Lovelace', 'U012ABCDEF', 'ops@acme.example'];
const KINDS = ['refused', 'waiting'] as const;

/** What people read about one file with this problem, in its thread and elsewhere. */
function aboutProblem(problem: ErrorCode, operator: string | null) {
  const at = { problem, nextTryAt: NOW + 600_000 };
  const given = { shareId: 7, folder: null, operator, sharedAt: NOW, now: NOW };
  const shares = (['refused', 'waiting', 'checking'] as const).flatMap((phase) =>
    [null, { by: 'U012ABCDEF', messageUrl: null }].flatMap((saved) =>
      [null, { isNotified: true }, { isNotified: false }].map((pause) => ({
        ...{ ...given, saved, pause, files: [shareFile('budget.xlsx', { phase, ...at })] },
      })),
    ),
  );
  const pages = { page: 1, linksPage: 1 };
  const inHand = { count: 0, isMore: false };
  const stuck = KINDS.flatMap((kind) =>
    yesNo.map((isSaved) => ({ ...at, kind, isSaved, count: 1, name: 'budget.xlsx' })),
  );
  const refused = { name: 'budget.xlsx', problem, problemNote: null };
  const report = { total: 10, filed: 9, files: [], refused: 1, waiting: 0, refusals: [refused] };
  return {
    thread: shares.flatMap((one) => linesOf(blocks.shareLine(one))),
    status: PEOPLE.flatMap((reader) =>
      ['C012ABCDEF', 'D012ABCDEF'].flatMap((channel) => {
        const input = { ...reader, pages, operator, now: NOW, inHand };
        const channels = [{ channel, files: stuck }];
        return yesNo.flatMap((hasDefault) =>
          linesOf(blocks.status({ ...input, hasDefault, channels })),
        );
      }),
    ),
    where: PEOPLE.flatMap((person) => {
      const reader = { ...person, isDirect: false, hasFolder: true, mayPutBack: true };
      return shares.flatMap((one) => linesOf(blocks.shareLine({ ...one, reader })));
    }),
    report: linesOf(blocks.catchUpReport({ ...report, operator })),
    trouble: (Object.keys(FAILED) as Doing[]).flatMap((doing) =>
      LINK_BY.flatMap((linkBy) => {
        const input = { code: problem, note: null, retryAfterMs: 30_000, reference: null };
        return linesOf(blocks.serviceTrouble({ ...input, doing, operator, linkBy }));
      }),
    ),
  };
}

describe.each(Object.keys(ERROR_CODES) as ErrorCode[])('what people read about %s', (code) => {
  it.each(OPERATORS)('is short, whoever reads it: the operator is %s', (operator) => {
    const { thread, ...others } = aboutProblem(code, operator);
    const elsewhere = Object.values(others).flat();
    expect(thread.filter((line) => wordsIn(line) > 25)).toEqual([]);
    expect(elsewhere.filter((line) => wordsIn(line) > 30)).toEqual([]);
  });

  it.each(OPERATORS)(
    'is at most two sentences before the button: the operator is %s',
    (operator) => {
      const { thread, where, status } = aboutProblem(code, operator);
      const sentences = (line: string) =>
        line.replace(/^.*?(Waiting|waiting|Sent)\b[^:]*: \S+ ?/, '').match(/[.?](?= |$)/g) ?? [];
      const lines = [...thread, ...where, ...status];
      expect(lines.filter((line) => sentences(line).length > 2)).toEqual([]);
    },
  );
});
