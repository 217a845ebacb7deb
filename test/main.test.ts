import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedSlack } from '../src/playground/embedded-slack/index.ts';
import { DEMO_API_KEY } from '../src/playground/file-service/index.ts';
import { appSettings } from './support/app-settings.ts';
import { startEmbedded } from './support/embedded.ts';
import { startMain } from './support/main-process.ts';
import { startServer } from './support/start-server.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const SECRETS = {
  SLACK_BOT_TOKEN: 'xoxb-unknown-token',
  SLACK_SIGNING_SECRET: 'secret-of-signing',
  FILES_API_KEY: 'key-of-the-account',
};

let directory: string;
// A Slack that knows no token.
const slack = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"ok":false,"error":"invalid_auth"}');
});
beforeAll(async () => {
  directory = temporaryFolder(afterAll);
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void slack.close());

it.each([
  ['wrong settings', { FILES_CONTACT: 'nobody', PORT: 'x' }, /FILES_CONTACT.*PORT/s],
  [
    'no settings at all',
    { SLACK_BOT_TOKEN: '', FILES_API_KEY: '' },
    /SLACK_BOT_TOKEN.*FILES_API_KEY/s,
  ],
  ['a token that Slack does not know', {}, /SLACK_BOT_TOKEN|invalid_auth/],
])(
  'a start with %s says what to correct, shows no secret, and exits with 1',
  async (_what, more, words) => {
    const app = startMain(directory, {
      ...SECRETS,
      SLACK_API_URL: `http://127.0.0.1:${(slack.address() as AddressInfo).port}/api/`,
      FILES_ACCOUNT_URL: 'https://account.example',
      FILES_CONTACT: 'ops@example.com',
      PORT: '0',
      ...more,
    });
    await expect(app.wrote(/is running/)).rejects.toThrow();
    expect(await app.stop()).toBe(1);
    expect(app.output()).toMatch(/^Pigeonhole cannot start\.\n/m);
    expect(app.output()).toMatch(words);
    expect(app.output()).not.toContain('    at ');
    for (const secret of Object.values(SECRETS)) expect(app.output()).not.toContain(secret);
  },
);

it('says which options there are', async () => {
  const app = startMain(directory, {}, ['--help']);
  expect(await app.exited).toBe(0);
  expect(app.output()).toMatch(/^The options are --check .*--new-ledger .*--version.*\.\n$/);
});

it.each(['check', 'new-ledger'])('tells how --%s gets past npm', async (option) => {
  const ofNpm = { [`npm_config_${option.replace('-', '_')}`]: 'true' };
  const app = startMain(temporaryFolder(), { ...SECRETS, ...ofNpm });
  expect(await app.exited).toBe(1);
  expect(app.output()).toContain(`Type: npm start -- --${option}\n`);
});

it('--check ends in order, without a stack trace, where its output cannot be written', async () => {
  const { slack, service, stop } = await startEmbedded();
  onTestFinished(stop);
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const env = { PATH: process.env['PATH'], ...appSettings({ slack, service }) };
  const cwd = temporaryFolder();
  const child = spawn(process.execPath, [main, '--check'], {
    ...{ cwd, env, stdio: ['ignore', full, 'pipe'] },
  });
  let errors = '';
  child.stderr?.on('data', (text) => (errors += String(text)));
  const [code] = await once(child, 'close');
  expect([code, errors]).toEqual([0, '']);
});

it('says its version, also without settings', async () => {
  const app = startMain(directory, {}, ['--version']);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(await app.exited).toBe(0);
  expect(app.output()).toBe(`${version}\n`);
});

it('a new ledger on a host that keeps no files is refused unless it is meant, and known from then on', async () => {
  const folder = temporaryFolder();
  const { apiUrl, botToken, stop } = await startEmbeddedSlack({ dataDir: `${folder}/slack` });
  onTestFinished(stop);
  const account = await startServer((_request, response) => {
    response.writeHead(200).end('[]');
  });
  const settings = {
    ...SECRETS,
    ...{ SLACK_BOT_TOKEN: botToken, SLACK_API_URL: apiUrl, FILES_ACCOUNT_URL: account },
    ...{ FILES_CONTACT: 'ops@example.com', PORT: '0', DYNO: 'web.1', DATA_DIR: './kept' },
  };
  for (let start = 1; start <= 2; start += 1) {
    const app = startMain(folder, settings);
    await expect(app.wrote(/is running/)).rejects.toThrow();
    expect(await app.stop()).toBe(1);
    expect(app.output()).toMatch(/DYNO.*DATA_DIR \(\.\/kept\).*DATABASE_URL.*--new-ledger/);
  }
  // A start that fails is not the first one.
  const taken = { ...settings, PORT: new URL(account).port };
  const failed = startMain(folder, taken, ['--new-ledger']);
  expect(await failed.exited).toBe(1);
  const meant = startMain(folder, settings, ['--new-ledger']);
  await meant.wrote(
    /"level":30.*"links":0,"waitingFiles":0,"ledgerVersion":"[\w-]+".*The ledger is new"/,
  );
  await meant.wrote(/"level":40.*"channels":\d+.*The ledger is new, but the bot is in channels/);
  expect(await meant.stop()).toBe(0);
  const known = startMain(folder, settings);
  await known.wrote(/"level":30.*"links":0,"waitingFiles":0.*The ledger is known"/);
  await known.wrote(/is running/);
  expect(await known.stop()).toBe(0);
  expect(known.output()).not.toContain('The ledger is new');
});

it.each([
  ['a key that the file service does not accept', 401, '{}', /"level":50.*FILES_API_KEY/],
  ['the address of a web page', 200, '<html>Hello</html>', /"level":40.*FILES_ACCOUNT_URL/],
])('a start with %s runs, and says what to correct', async (_what, status, body, line) => {
  const folder = temporaryFolder();
  const { apiUrl, botToken, stop } = await startEmbeddedSlack({ dataDir: `${folder}/slack` });
  onTestFinished(stop);
  let requests = 0;
  const account = await startServer((_request, response) => {
    requests += 1;
    response.writeHead(status).end(body);
  });
  const app = startMain(folder, {
    ...SECRETS,
    SLACK_BOT_TOKEN: botToken,
    SLACK_API_URL: apiUrl,
    FILES_ACCOUNT_URL: account,
    FILES_CONTACT: 'ops@example.com',
    PORT: '0',
  });
  await app.wrote(line);
  expect(await app.stop()).toBe(0);
  expect(app.output()).toMatch(/is running/);
  expect(app.output()).toMatch(/"msg":"Stopped"}\n$/);
  expect(app.output()).not.toContain(SECRETS.FILES_API_KEY);
  expect(requests).toBe(1);
});

it.each([
  [
    'settings that work',
    DEMO_API_KEY,
    0,
    /^✓ The file service accepts.*All that was tried works\.\n$/s,
  ],
  [
    'a wrong key',
    'wrong',
    1,
    /^✗ The file service does not accept.*What is marked ✗ needs you\.\n$/s,
  ],
])(
  '--check of %s says so, ends, and leaves nothing on the disk',
  async (_what, key, code, words) => {
    const { slack, service, stop } = await startEmbedded();
    onTestFinished(stop);
    const folder = temporaryFolder();
    const settings = { ...appSettings({ slack, service }), FILES_API_KEY: key };
    const app = startMain(folder, settings, ['--check']);
    expect(await app.exited).toBe(code);
    expect(app.output()).toMatch(words);
    expect(readdirSync(folder)).toEqual([]);
  },
);

it.each(['--chekc', '--new-leger', '--new-ledger=yes', 'new-ledger'])(
  'an option that does not exist is named, and nothing starts: %s',
  async (option) => {
    const app = startMain(temporaryFolder(), SECRETS, [option]);
    expect(await app.exited).toBe(1);
    expect(app.output()).toMatch(
      /^Pigeonhole cannot start\.\n.*The options are --check .*--new-ledger/,
    );
    expect(app.output()).toContain(option.split('=')[0]);
  },
);
