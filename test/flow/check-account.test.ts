import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { checkAccount } from '../../src/check-account.ts';
import { defaultSeed, SUSPENDED_API_KEY } from '../../src/playground/file-service/index.ts';
import { missingScopes } from '../../src/surfaces/notices/operator-notices.ts';
import { appSettings, FOLDER, PROJECT, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { type Embedded, startEmbedded } from '../support/embedded.ts';
import { seedFile } from '../support/seed-files.ts';
import { startServer } from '../support/start-server.ts';
import { serviceProfile } from '../support/start-stack.ts';

let embedded: Embedded;
beforeAll(async () => {
  embedded = await startEmbedded({ service: { profile: serviceProfile } });
});
afterAll(() => embedded.stop());

/** Returns what the check writes about these settings, and its verdict. */
async function checked(settings: Record<string, string> = {}, between = embedded) {
  const lines: string[] = [];
  const given = { ...appSettings(between), ...settings };
  const works = await checkAccount(given, (line) => lines.push(line));
  return { works, lines };
}

const overSocketMode = () => ({ SLACK_APP_TOKEN: embedded.slack.appToken });

it('an account and a workspace that work', async () => {
  const { requests } = embedded.service;
  const before = requests.list().length;
  const { works, lines } = await checked(overSocketMode());
  expect(lines).toEqual([
    expect.stringMatching(/^✓ The file service accepts the key and lists \d+ projects\.$/),
    expect.stringMatching(new RegExp(`^✓ Project ${PROJECT} lists \\d+ folders\\.$`)),
    expect.stringMatching(new RegExp(`^✓ Folder ${FOLDER} shows its files; \\d+ were read\\.$`)),
    expect.stringMatching(/^✓ Slack accepts the bot token, for https:/),
    '✓ Slack accepts the app-level token.',
    '– Uploading, the database and Redis were not tried.',
    'All that was tried works.',
  ]);
  expect(works).toBe(true);
  expect(requests.list().length - before).toBe(3);
  expect(embedded.slack.socket.connections()).toBe(0);
});

it('an account with one project, one folder and one file', async () => {
  const files = [seedFile(1_000_001)];
  const projects = defaultSeed.projects
    .filter(({ id }) => id === PROJECT)
    .map((project) => ({ ...project, folders: [{ id: FOLDER, name: 'All files', files }] }));
  const seed = { ...defaultSeed, projects };
  const small = await startEmbedded({ service: { profile: serviceProfile, seed } });
  onTestFinished(() => small.stop());
  const { lines } = await checked({}, small);
  expect(lines.slice(0, 3)).toEqual([
    '✓ The file service accepts the key and lists 1 project.',
    `✓ Project ${PROJECT} lists 1 folder.`,
    `✓ Folder ${FOLDER} shows its files; 1 was read.`,
  ]);
});

it('without a default folder, the first folder of a project is listed', async () => {
  const { works, lines } = await checked(WITHOUT_DEFAULT);
  expect(lines[2]).toMatch(/^✓ Folder \d+ shows its files/);
  expect(lines[4]).toMatch(/^✓ SLACK_SIGNING_SECRET is set/);
  expect(works).toBe(true);
});

it('an account before there is a Slack app', async () => {
  const none = { SLACK_BOT_TOKEN: '', SLACK_SIGNING_SECRET: '', SLACK_API_URL: '' };
  const { works, lines } = await checked(none);
  expect(lines[0]).toMatch(/^✓ The file service accepts the key/);
  expect(lines.slice(3)).toEqual([
    '– Slack was not tried: its tokens are not set yet.',
    '– Uploading, the database and Redis were not tried.',
    'All that was tried works.',
  ]);
  expect(works).toBe(true);
});

it.each([
  ['a wrong key', { FILES_API_KEY: 'wrong' }, /^✗ The file service does not accept FILES_API_KEY/],
  ['a suspended user’s key', { FILES_API_KEY: SUSPENDED_API_KEY }, /^✗ The file service does not/],
  [
    'an address without a server',
    { FILES_ACCOUNT_URL: 'http://127.0.0.1:1' },
    /^✗ .* cannot be reached/,
  ],
  ['a mistyped setting', { LINKBY: 'members' }, /^✗ LINKBY is unknown: did you mean LINK_BY\?$/],
  ['a folder that is not there', { FILES_FOLDER_ID: '9' }, /^✗ Project \d+ has no folder 9: /],
  [
    'an unknown bot token',
    { SLACK_BOT_TOKEN: 'xoxb-no' },
    /^✗ Slack does not accept SLACK_BOT_TOKEN/,
  ],
  [
    'an unknown app token',
    { SLACK_APP_TOKEN: 'xapp-no' },
    /^✗ Slack does not accept SLACK_APP_TOKEN/,
  ],
])('%s is named, and the rest is checked all the same', async (_what, settings, words) => {
  const { works, lines } = await checked({ ...overSocketMode(), ...settings });
  expect(lines.filter((line) => line.startsWith('✗'))).toEqual([expect.stringMatching(words)]);
  expect(lines.filter((line) => line.startsWith('✓')).length).toBeGreaterThan(0);
  expect(works).toBe(false);
  const { SLACK_BOT_TOKEN = '', FILES_API_KEY = '' } = appSettings(embedded);
  expect(lines.join()).not.toContain(SLACK_BOT_TOKEN);
  expect(lines.join()).not.toContain(FILES_API_KEY);
});

it('a missing scope is named with what it costs', async () => {
  const scopes = Object.keys(missingScopes([])).filter((scope) => scope !== 'reactions:write');
  const limited = await startEmbedded({ slack: { scopes } });
  onTestFinished(limited.stop);
  const { lines, works } = await checked({}, limited);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^✗ .* reactions:write, and without it messages with files get no reaction\./,
    ),
  );
  expect(works).toBe(false);
});

it.each([
  ['a web page', 200, '<html>Hello</html>', {}, /^✗ FILES_ACCOUNT_URL does not answer like/],
  [
    'too many requests',
    429,
    '{}',
    { 'retry-after': '60' },
    /^✗ .* asks to wait 60 s\. Check again/,
  ],
  ['a server error', 503, '{}', {}, /^✗ The file service fails/],
])('an account that answers with %s', async (_what, status, body, headers, words) => {
  const url = await startServer((_request, response) => {
    response.writeHead(status, headers).end(body);
  });
  const { works, lines } = await checked({ FILES_ACCOUNT_URL: url });
  expect(lines[0]).toMatch(words);
  expect(works).toBe(false);
});

it('settings that are missing or malformed are all listed', async () => {
  await expect(checked({ FILES_CONTACT: '', PORT: 'x' })).rejects.toThrow(/FILES_CONTACT.*PORT/s);
});
