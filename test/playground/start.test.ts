import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeReplay } from '../../src/playground/replay/replay-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SMALL_REPLAY } from './replay/small-replay.ts';

interface Ended {
  code: number | null;
  out: string;
  complaints: string;
}

const START = new URL('../../src/playground/start.ts', import.meta.url).pathname;

function start(
  args: string[],
  onOutput: (text: string, kill: () => void) => void = () => {},
  cwd = process.cwd(),
) {
  return new Promise<Ended>((resolve) => {
    const child = execFile(process.execPath, [START, ...args], { cwd }, (_error, out, complaints) =>
      resolve({ code: child.exitCode, out, complaints }),
    );
    child.stdout?.on('data', (text: string) => onOutput(text, () => child.kill('SIGINT')));
  });
}

test('a second playground in the same folder is refused until a signal ends the first, and the next one shares files and ends', async () => {
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data'), '--port', '0'];
  const second = Promise.withResolvers<Ended>();
  let isSecondBegun = false;
  const first = await start(data, (text, kill) => {
    if (isSecondBegun || !text.includes('http://127.0.0.1:')) return;
    isSecondBegun = true;
    second.resolve(start(data).finally(kill));
  });
  const { code, complaints } = await second.promise;
  expect(complaints).toMatch(/^The playground could not start: another playground is running in /);
  expect(code).toBe(1);
  expect(first.out).toContain('Closing');
  expect(first.code).toBe(0);

  const paths = ['one.txt', 'two.bin'].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, `bytes of ${path}`);
  const third = await start([...data, '--exit', '--share', ...paths]);
  expect(
    third.out.match(
      /✓ .*(?:one\.txt|two\.bin): Website relaunch › All files, record \d+, sha256 equal/g,
    ),
  ).toHaveLength(2);
  expect(third.code).toBe(0);
  // Four processes, one after another.
}, 120_000);

test('a replay opens, and a signal ends it', async () => {
  const path = join(temporaryFolder(), 'world.jsonl');
  writeFileSync(path, writeReplay(SMALL_REPLAY));
  const { code, out } = await start(['--replay', path, '--port', '0'], (text, kill) => {
    if (text.includes('http://127.0.0.1:')) kill();
  });
  expect(out).toContain('The replay is open');
  expect(code).toBe(0);
});

test.each([
  [['--share', '/none/here.pdf'], 2, 'There is no file /none/here.pdf.'],
  [['--nope'], 2, "Unknown option '--nope'."],
  [['--replay', '/none/world.jsonl'], 1, 'There is no file /none/world.jsonl.'],
])('%j ends with %i and a reason, which stays in sight', async (args, expected, reason) => {
  const { code, out, complaints } = await start(args);
  expect(complaints.split('\n').length).toBeLessThan(5);
  expect(complaints).toContain(reason);
  expect(out).toBe('');
  expect(code).toBe(expected);
});

test('settings that cannot be read end it with a reason, without the name of a class', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.env'));
  const { code, complaints } = await start([], () => {}, folder);
  expect(complaints).toBe(
    '.env cannot be read (EISDIR); make it a file that Pigeonhole’s user may read\n',
  );
  expect(code).toBe(1);
});

test('--help lists the options', async () => {
  const { code, out } = await start(['--help']);
  expect(out).toContain('--share FILE');
  expect(out).toContain('--service NAME');
  expect(out).toContain('--replay FILE');
  expect(code).toBe(0);
});

test('a part that cannot start is named in one sentence', async () => {
  const file = join(temporaryFolder(), 'taken');
  writeFileSync(file, '');
  const { code, complaints } = await start(['--data', file, '--port', '0']);
  const why = `${file} is not a folder. Name another folder with --data.`;
  expect(complaints).toBe(`The playground could not start: ${why}\n`);
  expect(code).toBe(1);
});
