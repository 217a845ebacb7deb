import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const LOGGER = new URL('../../src/base/logger.ts', import.meta.url).href;

const logging = (statements: string) => [
  '--input-type=module',
  '--eval',
  `import { createLogger } from ${JSON.stringify(LOGGER)};
  const logger = createLogger('info');
  ${statements}`,
];

describe('the logger', () => {
  it('writes a line of JSON without secrets', async () => {
    const statement = "logger.info({ token: 'xoxb-1', channel: 'C1' }, 'A file was filed');";
    const { stdout } = await promisify(execFile)(process.execPath, logging(statement));
    const line = { token: '[secret]', channel: 'C1', msg: 'A file was filed' };
    expect(JSON.parse(stdout)).toMatchObject(line);
  });

  it('writes where an error comes from only if nobody foresaw it', async () => {
    const statement = `
      const { PigeonholeError } = await import(${JSON.stringify(new URL('errors.ts', LOGGER).href)});
      logger.warn({ error: new PigeonholeError('SLACK_UNREACHABLE', 'no network') }, 'foreseen');
      logger.warn({ error: new TypeError('a fault of ours') }, 'not foreseen');`;
    const { stdout } = await promisify(execFile)(process.execPath, logging(statement));
    const [foreseen, other] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).error);
    expect(foreseen).toEqual({
      name: 'PigeonholeError',
      code: 'SLACK_UNREACHABLE',
      message: 'no network',
    });
    expect(other.stack).toContain('TypeError: a fault of ours');
  });

  it('lets the process go on and end while its lines cannot be written', async () => {
    const statements = "for (let n = 0; n < 3; n += 1) logger.info('full'); process.exitCode = 7;";
    const fullDisk = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, logging(statements), {
      stdio: ['ignore', fullDisk, 'inherit'],
      timeout: 20_000,
    });
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
