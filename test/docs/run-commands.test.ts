import { execFileSync } from 'node:child_process';
import { copyFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { COMMANDS } from './commands.ts';
import { ROOT } from './markdown.ts';

// What is written stays out of the sources.
const folder = temporaryFolder(afterAll);
for (const name of ['package.json', 'src', 'test', 'node_modules'])
  symlinkSync(join(ROOT, name), join(folder, name));
copyFileSync(join(ROOT, '.env.sample'), join(folder, '.env.sample'));
for (const name of ['report.pdf', 'photo.jpg'])
  writeFileSync(join(folder, name), `bytes of ${name}`);

it.each(COMMANDS.filter(({ run }) => run))('$command ends well', ({ command, run }) => {
  const line = `${command} ${run?.more ?? ''}`;
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, npm_config_update_notifier: 'false' };
  const output = execFileSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
  expect(output).toMatch(run?.prints ?? '');
});

it('those that write have written', () => {
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'world.jsonl')).size).toBeGreaterThan(1_000);
});
