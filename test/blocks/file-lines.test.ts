import { expect, it } from 'vitest';
import { type FilePhase, reactionFor, sharePhase } from '../../src/blocks/file-lines.ts';

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

it('a share has a different reaction in each phase, and none if all files were withdrawn', () => {
  expect((['in-hand', 'done', 'needs-you', 'withdrawn'] as const).map(reactionFor)).toEqual([
    'hourglass_flowing_sand',
    'white_check_mark',
    'warning',
    null,
  ]);
});
