import { expect, it } from 'vitest';
import {
  readPlaygroundOptions,
  requireDashes,
  shareLine,
  welcome,
} from '../../src/playground/command-line.ts';
import { UsageError } from '../../src/playground/errors.ts';

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

it('an option that npm kept for itself is refused, with the line to type', () => {
  expect(() => requireDashes({ npm_config_fresh: 'true' })).toThrow(
    'npm kept --fresh for itself. Type: npm run playground -- --fresh',
  );
  expect(() => requireDashes({ npm_config_registry: 'x', PATH: '/bin' })).not.toThrow();
});

it('the welcome says that the port was taken, and a share line says that the bytes differ', () => {
  const started = { address: 'http://127.0.0.1:5000/', movedFrom: 4100, dataDir: '/tmp/x' };
  const input = { ...started, profile: 'specified' } as const;
  expect(welcome(input)).toContain('Port 4100 is taken');
  expect(welcome(input)).toContain('answers as its documentation says');
  expect(welcome({ ...input, profile: 'real' })).toContain('answers as real accounts do');
  const record = { id: 7, folder: 'A / B', sameBytes: false };
  expect(shareLine({ path: 'a.txt', record })).toBe('  ✗ a.txt: A / B, record 7, sha256 DIFFERENT');
  expect(shareLine({ path: 'a.txt', record: null })).toBe('  ✗ a.txt: not filed in time');
});
