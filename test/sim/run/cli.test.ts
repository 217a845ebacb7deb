import { expect, it, vi } from 'vitest';
import { createSummary, describeFailure, main } from './cli.ts';
import type { JobResult } from './worker.ts';

it.each<[string[], string | RegExp]>([
  [['--without', 'rain', '--seed', '1'], '"rain" is no kind of fault'],
  [[], 'npm run sim -- --minutes M'],
  [['--colour'], /^Unknown option '--colour'.*npm run sim -- --minutes M/s],
  [['--seeds', '1..2', '--out', 'worlds.jsonl'], '--out is for one world'],
])('main ends with 2 for %j, and says what it does not understand', async (args, words) => {
  const consoleError = vi.spyOn(console, 'error').mockReturnValue(undefined);
  expect(await main(args)).toBe(2);
  expect(consoleError).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(words));
  consoleError.mockRestore();
});

it('main prints how it is used for --help, and ends with 0', async () => {
  const consoleLog = vi.spyOn(console, 'log').mockReturnValue(undefined);
  expect(await main(['--help'])).toBe(0);
  expect(consoleLog).toHaveBeenCalledExactlyOnceWith(expect.stringMatching('--seeds A..B'));
  consoleLog.mockRestore();
});

const done: JobResult = {
  seed: 7,
  violation: null,
  trace: null,
  events: [],
  lastedMs: 3_600_000,
  injected: { 'service reset-after': 2 },
  counts: { shares: 4, unclear: 1, 'shares renamed': 5, 'unclear renamed': 2 },
  filter: { keep: null, without: [] },
  cpuMs: 500,
};

const failed: JobResult = {
  ...done,
  violation: { property: 'rate limit', what: '26 requests within 10 s' },
  filter: { keep: [2, 5], without: ['slack'] },
};

it('the summary reports a failure with its seed, the broken property, and the command that replays it', () => {
  expect(describeFailure(failed).split('\n')).toEqual([
    '✗ seed 7: rate limit',
    '  26 requests within 10 s',
    '  npm run sim -- --seed 7 --keep 2,5 --without slack --trace',
  ]);
});

it('the summary counts worlds, hours and faults, and the speed', () => {
  const summary = createSummary();
  summary.add(done);
  summary.add(done);
  expect(summary.report(2_000)).toEqual([
    '2 worlds, 2.0 simulated hours, 1.0 s of processor time, 2.0 s',
    '7200 simulated hours a core-hour; 120 worlds a core-minute, 60 a minute as it ran',
    'In them: shares 8, shares renamed 10, unclear 2, unclear renamed 4 (left to people to look at: 25.00%, and 40.00% where the service renames what it files)',
    'Faults: service reset-after 4',
    'Every property held.',
  ]);
  summary.add(failed);
  expect(summary.report(2_000).at(-1)).toBe('1 failed.');
});
