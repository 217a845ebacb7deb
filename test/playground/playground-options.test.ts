import { expect, it } from 'vitest';
import { readPlaygroundOptions, UsageError } from '../../src/playground/playground-options.ts';

it.each([
  [[], 'specified'],
  [['--service', 'specified'], 'specified'],
  [['--service', 'real'], 'real'],
])('%j starts the service in its profile %s', (args, profile) => {
  expect(readPlaygroundOptions(args, undefined).profile).toBe(profile);
});

it.each([
  [['--colour'], "Unknown option '--colour'"],
  [['--share'], '--share needs a value.'],
  [['--port', 'many'], 'The port must be a number up to 65535, not "many".'],
  [['--service', 'unreal'], '--service is "specified" or "real", not "unreal".'],
  [['--exit'], '--exit needs files to share'],
  [['report.pdf'], 'Unknown option: report.pdf'],
  [['--replay', 'world.jsonl', '--fresh'], 'leave --share and --fresh out'],
])('%j is refused with a reason', (args, reason) => {
  const read = () => readPlaygroundOptions(args, undefined);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(reason);
});
