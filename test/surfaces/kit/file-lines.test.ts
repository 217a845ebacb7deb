import { expect, it } from 'vitest';
import {
  type FilePhase,
  reactionFor,
  refusedLines,
  sharePhase,
} from '../../../src/surfaces/kit/file-lines.ts';
import { plainText } from '../../../src/surfaces/kit/prose.ts';

const PHASES: [FilePhase[], string][] = [
  [['waiting'], 'in-hand'],
  [['filed', 'sending'], 'in-hand'],
  [['filed', 'filed'], 'done'],
  [['filed', 'deleted'], 'done'],
  [[], 'done'],
  [['filed', 'withdrawn'], 'done'],
  [['deleted', 'withdrawn'], 'done'],
  [['waiting', 'withdrawn'], 'in-hand'],
  [['withdrawn', 'withdrawn'], 'withdrawn'],
  [['filed', 'refused'], 'needs-you'],
  [['waiting', 'refused'], 'needs-you'],
  [['parked'], 'needs-you'],
  [['filed', 'skipped'], 'needs-you'],
];

it.each(PHASES)('a share with files in the phases %j is %s', (phases, phase) => {
  expect(sharePhase(phases.map((each) => ({ phase: each })))).toBe(phase);
});

it('several files with one reason are spoken of in the plural', () => {
  const named = (name: string) => {
    return { name, problem: 'SLACK_FILE_EXTERNAL', problemNote: null } as const;
  };
  const lines = refusedLines([named('a.doc'), named('b.doc')], { total: 2, operator: null });
  expect(lines.map(plainText)).toEqual([
    '2 of 2 couldn’t be filed: a.doc, b.doc – Slack has only a link, so there’s nothing to copy. Download them and share those.',
  ]);
});

it('a share has a different reaction in each phase, and none if all files were withdrawn', () => {
  expect((['in-hand', 'done', 'needs-you', 'withdrawn'] as const).map(reactionFor)).toEqual([
    'hourglass_flowing_sand',
    'white_check_mark',
    'warning',
    null,
  ]);
});
