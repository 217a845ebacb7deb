import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readReplay } from '../../src/playground/replay/replay-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);

/**
 * Runs the simulator’s command, with one process for all worlds because each takes a second to warm
 * up. Resolves with what it printed; rejects if a world fails.
 */
async function sim(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['test/sim/main.ts', '--jobs', '1', ...args]);
  return stdout;
}

const WITHOUT_FAULTS = ['--without', 'service,slack,deliveries,disk'];

it('the simulator holds every property in a fixed set of worlds', async () => {
  expect(await sim('--seeds', '4..13')).toContain('Every property held.');
}, 120_000);

// Worlds that failed once, with what it took.
it.each([
  ['a download that is only counted stalls', '338706011', ['--keep', '2', ...WITHOUT_FAULTS]],
  ['another instance reads a thread for one that was killed', '770399', []],
  ['a file is put back where another channel lists its folder', '770593', []],
  ['a key is refused while a folder is gone', '8800555', []],
  ['a folder is probed whose creates nobody can tell of', '51400325', ['--keep', '15,13,0,1']],
  ['the clock is set back while uploads are under way', '51300004', []],
  ['a request that was given up arrives late', '52300037', []],
  ['a channel is linked twice at once', '52300261', []],
  ['the clock of the instance that lists the channels is ahead', '53000169', []],
  [
    'one of the first two processes cannot start',
    '54201630',
    ['--keep', '18,13,6', '--without', 'service,downloads,deliveries,disk'],
  ],
  [
    'the service is away while a folder that is gone is probed',
    '52301361',
    ['--keep', '5,6,12,14', '--without', 'service,slack,downloads,deliveries'],
  ],
  [
    'files are saved by hand to a folder that is gone while they are on their way there',
    '51800168',
    ['--keep', '5,6,18,20', '--without', 'downloads,deliveries'],
  ],
])(
  'the simulator holds every property where %s',
  async (_what, seed, more) => {
    expect(await sim('--seed', seed, ...more)).toContain('Every property held.');
  },
  120_000,
);

it('the simulator runs a world twice with the same trace and the same replay, byte by byte', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'world.jsonl');
  const printed = await sim('--seed', '3', '--check', '--trace', '--out', out);
  expect(printed).toContain('Every property held.');
  expect(printed).toMatch(/^ +0\.000 {2}app 1 is started$/m);
  expect(printed).toMatch(/ → service create: 201/);
  const { title, events } = readReplay(out);
  expect(title).toBe('Simulated world 3');
  for (const { text } of events) expect(printed).toContain(text);
  const setBy = (text: RegExp) =>
    events.filter((event) => text.test(event.text)).map(({ set }) => Object.keys(set).join(' '));
  expect(setBy(/^— \w+ shares /)[0]).toMatch(/^message\//);
  expect(setBy(/ → service create: 201/)[0]).toMatch(/file\/\d+\/\d+/);
  expect(JSON.stringify(events)).toContain('"name":"white_check_mark"');
}, 120_000);
