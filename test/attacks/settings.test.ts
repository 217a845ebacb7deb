import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { REQUIRED_SETTINGS } from '../support/app-settings.ts';
import { startMain } from '../support/main-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it.each([
  ['SLACK_API_URL', 'https://user:hunter2@slack.example/api/'],
  ['SLACK_API_URL', 'user:hunter2@slack.example'],
  ['FILES_ACCOUNT_URL', 'https://user:hunter2@account.example'],
  ['FILES_ACCOUNT_URL', 'https://user:hunter2@[account.example'],
  ['FILES_ACCOUNT_URL', 'https://account.example/?key=hunter2'],
  ['FILES_ACCOUNT_URL', 'https://:hunter2@account.example'],
  ['DATABASE_URL', 'postgres://user:hunter2@host:port/db'],
  ['DATABASE_URL', 'postgres://user:hunter2/@host/db'],
  ['DATABASE_URL', 'postgres://user:hunter2%zz@host/db'],
  ['DATABASE_URL', 'user:hunter2@host/db'],
  ['REDIS_URL', 'redis://:hunter2@host:port'],
  ['REDIS_URL', 'redis://:hunter2#@host'],
  ['REDIS_URL', 'rediss://:hunter2@host/cache'],
  ['HOST', 'http://user:hunter2@host'],
  ['HOST', 'user:hunter2@host'],
  ['FILES_CONTACT', 'https://user:hunter2@host'],
  ['FILES_CONTACT', 'user:hunter2@host'],
  ['DATA_DIR', 'postgres://user:hunter2@host/db'],
  ['OPERATOR', 'https://user:hunter2@host'],
  ['OPERATOR', 'xoxb-hunter2'],
  ['PORT', 'tcp://user:hunter2@host:80'],
  ['LOG_LEVEL', 'redis://:hunter2@host'],
  ['FILES_PROJECT_ID', 'a0b1c2d3-hunter2-a0b1c2d3'],
])('a wrong %s is named, but its value %s is not shown', (name, value) => {
  const load = () => loadConfig({ ...REQUIRED_SETTINGS, [name]: value });
  expect(load).toThrow(
    new RegExp(`^ {2}${name}: expected .{13,}; the value given doesn’t match\\.$`, 'm'),
  );
  expect(load).not.toThrow('hunter2');
});

it('a missing database is reported without its password', async () => {
  const folder = temporaryFolder();
  const DATABASE_URL = 'postgres://user:hunter2@127.0.0.1:9/db';
  const app = startMain(folder, { ...REQUIRED_SETTINGS, DATABASE_URL });
  await expect(app.wrote(/is running/)).rejects.toThrow(/DATABASE_URL.*ECONNREFUSED/);
  expect(app.output()).not.toContain('hunter2');
});
