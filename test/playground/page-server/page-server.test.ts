import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { DEMO_API_KEY } from '../../../src/playground/file-service/index.ts';
import { receiveState, startedPage } from './started-page.ts';

interface ShownProject {
  folders: { name: string; depth: number }[];
}

test('a file that the page uploads is filed, shown and returned byte for byte', async () => {
  const page = await startedPage();
  const received = await receiveState(page.page.address);
  const { ben } = page.slack.ids.users;
  const { general } = page.slack.ids.channels;
  const name = 'plans “final” <b>.txt';
  const uploads = [await page.upload(name, 'ten berths')];
  const shared = { person: ben, channel: general, text: 'a & b', uploads };
  expect((await page.act('share', shared)).status).toBe(200);

  const isFiled = (state: Map<string, unknown>) =>
    [...state].some(([key, value]) => key.startsWith('file/') && nameIn(value) === name);
  const state = await received.until(isFiled);
  const [key = ''] = [...state].find(([, value]) => nameIn(value) === name) ?? [];
  const answer = await page.get(`service-files/${key.split('/')[2]}`);
  expect(await answer.text()).toBe('ten berths');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''/);
  expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  const said = [...state].filter(([entry]) => entry.startsWith(`message/${general}/`));
  expect(JSON.stringify(said)).toContain('a &amp; b');
});

test('a page gets everything first, then changes, and the links of channels', async () => {
  const page = await startedPage();
  const received = await receiveState(page.page.address);
  await received.until((state) => state.has('workspace'));
  expect(received.updates[0]?.whole).toBe(true);
  const { general, design } = page.slack.ids.channels;
  const state = await received.until((known) => known.has('links'));
  const links = state.get('links') as Record<string, unknown>;
  expect(links[general ?? '']).toEqual({ projectId: 23423233, folderId: 67811577 });
  expect(links[design ?? '']).toBeNull();

  await page.act('fault', { fault: 'outage', folderId: 0 });
  await received.until((known) => known.get('fault') === 'outage');
  const last = received.updates.find(({ set }) => set['fault'] === 'outage');
  expect(last?.whole).toBe(false);
  expect(Object.keys(last?.set ?? {})).not.toContain('workspace');
});

test('the page shows the service’s profile, and a change of it restarts the app', async () => {
  const page = await startedPage();
  const received = await receiveState(page.page.address);
  await received.until((state) => state.get('profile') === 'specified');
  const offered = received.updates[0]?.set['profiles'];
  expect(offered).toMatchObject([{ id: 'specified' }, { id: 'real' }]);
  const states: string[] = [];
  page.app.onChange(() => states.push(`${page.app.state()} ${page.service.behaviour.profile()}`));
  expect((await page.act('profile', { profile: 'real' })).status).toBe(200);
  await received.until((state) => state.get('profile') === 'real');
  expect(states).toEqual([
    'stopping specified',
    'stopped specified',
    'starting real',
    'running real',
  ]);
});

test('the page shows the folders in one tree if the service lists them so', async () => {
  const page = await startedPage();
  const received = await receiveState(page.page.address);
  const shown = (known: Map<string, unknown>) => {
    const { folders } = (known.get('project/23423233') ?? { folders: [] }) as ShownProject;
    return folders.map(({ name, depth }) => `${depth} ${name}`);
  };
  const beside = ['0 All files', '0 Design', '1 Logos', '1 Screens', '2 Mobile', '0 Copy'];
  expect(shown(await received.until((known) => known.has('project/23423233')))).toEqual(beside);
  await page.act('profile', { profile: 'real' });
  const below = ['0 All files', '1 Design', '2 Logos', '2 Screens', '3 Mobile', '1 Copy'];
  expect(shown(await received.until((known) => shown(known)[1] === below[1]))).toEqual(below);
});

test('a stopped app stays stopped when the profile changes', async () => {
  const page = await startedPage();
  await page.act('app', { run: false });
  await page.act('profile', { profile: 'real' });
  expect(page.service.behaviour.profile()).toBe('real');
  expect(page.app.state()).toBe('stopped');
});

test('a picture is shown as one only if its type cannot run scripts', async () => {
  const page = await startedPage();
  const { ben } = page.slack.ids.users;
  const { general } = page.slack.ids.channels;
  const uploads = [
    await page.upload('dot.png', 'no real picture', 'image/png'),
    await page.upload('script.svg', '<svg/>', 'image/svg+xml'),
  ];
  await page.act('share', { person: ben, channel: general, text: '', uploads });
  const message = (await page.slack.state('general')).find(({ files }) => files);
  const [png, svg] = message?.files ?? [];
  expect((await page.get(`pictures/${png?.id}`)).headers.get('content-type')).toBe('image/png');
  expect((await page.get(`pictures/${svg?.id}`)).status).toBe(404);
});

test('the app is stopped and started again, and commands meanwhile fail as in Slack', async () => {
  const page = await startedPage();
  const received = await receiveState(page.page.address);
  const { ben } = page.slack.ids.users;
  const { general } = page.slack.ids.channels;
  const typed = { person: ben, channel: general, command: '/files', text: 'help' };
  await page.act('app', { run: false });
  await received.until((state) => state.get('app') === 'stopped');
  expect(await (await page.act('command', typed)).json()).toMatchObject({ ok: false });
  await page.act('app', { run: true });
  expect(await (await page.act('command', typed)).json()).toEqual({ ok: true });
  await received.until((state) => [...state.keys()].some((name) => name.startsWith('ephemeral/')));
});

test('the page suggests the commands of the app’s help', async () => {
  const { address } = (await startedPage()).page;
  const state = await (await receiveState(address)).until((known) => known.has('commands'));
  const does = 'files that are stuck, and what to do';
  expect(state.get('commands')).toContainEqual({ command: '/files status', does });
});

test('the page offers the shortcuts of the manifest, and calls them', async () => {
  const page = await startedPage();
  const received = await receiveState(page.page.address);
  const state = await received.until((known) => known.has('shortcuts'));
  const shortcuts = state.get('shortcuts') as { name: string; type: string }[];
  const text = readFileSync(new URL('../../../manifest.yml', import.meta.url), 'utf8');
  const listed = parse(text).features.shortcuts as { name: string }[];
  expect(shortcuts.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
  const where = { name: 'Where is this filed?', type: 'message', callbackId: 'where_filed' };
  expect(shortcuts).toContainEqual(where);
  const { ben: person } = page.slack.ids.users;
  const { general: channel } = page.slack.ids.channels;
  const said = await page.act('say', { person, channel, text: 'No file here' });
  const { ts } = (await said.json()) as { ts: string };
  const called = await page.act('shortcut', {
    person,
    callbackId: 'where_filed',
    message: { channel, ts },
  });
  expect(await called.json()).toEqual({ ok: true });
  const answer = () => JSON.stringify(page.slack.views('ben').at(-1)?.blocks);
  await page.slack.until(() => answer()?.includes('no files'));
});

test('a member who is named with an @ in a message is mentioned, and the app answers', async () => {
  const page = await startedPage();
  const { ben: person, pigeonhole } = page.slack.ids.users;
  const { general: channel } = page.slack.ids.channels;
  const text = '@Pigeonhole, not @nobody or me@ben.example';
  const said = await page.act('say', { person, channel, text });
  const { ts } = (await said.json()) as { ts: string };
  const message = (await page.slack.state('general')).find((one) => one.ts === ts);
  expect(message?.text).toBe(`<@${pigeonhole}>, not @nobody or me@ben.example`);
  const answers = () => page.slack.ephemerals('ben').filter((one) => /files help/.test(one.text));
  await page.slack.until(() => answers()[0]);
});

test('a person can delete only their own files and messages in Slack', async () => {
  const page = await startedPage();
  const { ben, cleo } = page.slack.ids.users;
  const { general: channel } = page.slack.ids.channels;
  const uploads = [
    await page.upload('a.txt', 'a', 'text/plain'),
    await page.upload('b.txt', 'b', 'text/plain'),
  ];
  const shared = await page.act('share', { person: ben, channel, text: '', uploads });
  const { ts } = (await shared.json()) as { ts: string };
  const message = async () => (await page.slack.state('general')).find((one) => one.ts === ts);
  const file = (await message())?.files?.[0]?.id;
  const refused = await page.act('deleteInSlack', { person: cleo, channel, ts });
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { error: 'Slack refused: cant_delete_message.' },
  ]);
  expect((await page.act('deleteInSlack', { person: cleo, file })).status).toBe(409);
  expect((await message())?.files).toHaveLength(2);
  expect((await page.act('deleteInSlack', { person: ben, file })).status).toBe(200);
  expect((await message())?.files?.map(({ name }) => name)).toEqual(['b.txt']);
  expect((await page.act('deleteInSlack', { person: ben, channel, ts })).status).toBe(200);
  expect(await message()).toBeUndefined();
});

test('a file is deleted in the service once, as if by another person', async () => {
  const page = await startedPage();
  const [file] = page.service.store.files();
  expect((await page.act('remove', { fileId: file?.id })).status).toBe(200);
  expect(page.service.store.file(file?.id ?? 0)).toBeNull();
  const again = await page.act('remove', { fileId: file?.id });
  expect(again.status).toBe(404);
  expect(await again.json()).toEqual({ error: 'The file had already been deleted.' });
});

test('what is no longer there to act on is said in plain words, and a second Close is none', async () => {
  const page = await startedPage();
  const { ada: person } = page.slack.ids.users;
  const { general: channel } = page.slack.ids.channels;
  const refused = async (action: string, body: object) => {
    const answer = await page.act(action, { person, ...body });
    return [answer.status, await answer.json()];
  };
  const gone = { error: 'This has changed meanwhile, so nothing was done. Look at it again.' };
  const shortcut = { callbackId: 'where_filed', message: { channel, ts: '1.000000' } };
  expect(await refused('submit', { values: {} })).toEqual([409, gone]);
  expect(await refused('shortcut', shortcut)).toEqual([409, gone]);
  expect(await refused('invite', { channel })).toEqual([
    409,
    { error: 'Pigeonhole is already in this channel.' },
  ]);
  expect((await page.act('close', { person, all: true })).status).toBe(200);
});

test.each([
  ['say', { person: 'ben' }, 400],
  ['fault', { fault: 'rainy', folderId: 0 }, 400],
  ['profile', { profile: 'unreal' }, 400],
  ['share', { person: 'ben', channel: 'general', text: '', uploads: ['nothing'] }, 400],
  ['press', { person: 'ben', container: { ephemeral: '1.0' }, actionId: 'a', blockId: 'b' }, 404],
  ['constructor', {}, 404],
])('%s with %j is refused with %i and a reason', async (action, body, status) => {
  const page = await startedPage();
  const answer = await page.act(action, body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ error: expect.stringMatching(/^[A-Z].*\.?$/s) });
});

test.each([
  ['say', { text: 'a'.repeat(40_001) }],
  ['share', { text: '', uploads: Array.from({ length: 201 }, (_, nth) => `${nth}`) }],
])('%s beyond the limit of one message is refused in plain words', async (action, body) => {
  const page = await startedPage();
  const answer = await page.act(action, { person: 'ben', channel: 'general', ...body });
  const error = 'The playground can’t read what it was asked for. Nothing was done.';
  expect([answer.status, await answer.json()]).toEqual([400, { error }]);
});

test('a page server whose port is taken uses another, and says so', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { page } = await startedPage(port);
  expect(page.movedFrom).toBe(port);
  expect(page.address).not.toContain(`:${port}/`);
});

function nameIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
}

test('files and folders are added, renamed and deleted in the service itself', async () => {
  const page = await startedPage();
  const { store } = page.service;
  const folderId = 67811579;
  const upload = await page.upload('mark.txt', 'A mark');
  expect((await page.act('add', { upload, folderId })).status).toBe(200);
  const [, added] = store.files(folderId);
  expect(added).toMatchObject({ name: 'mark.txt', byteSize: 6, creatorId: 12009183 });
  expect((await page.act('add', { upload, folderId })).status).toBe(400);
  expect((await page.act('renameFolder', { folderId, name: ' Marks ' })).status).toBe(200);
  expect(store.folder(folderId)?.name).toBe('Marks');
  expect((await page.act('renameFolder', { folderId, name: ' ' })).status).toBe(400);
  expect((await page.act('deleteFolder', { folderId })).status).toBe(200);
  expect(store.folder(folderId)).toBeNull();
  expect((await page.act('deleteFolder', { folderId })).status).toBe(404);
});

test('one folder is refused, while the others are not', async () => {
  const page = await startedPage();
  const status = async (folderId: number) => {
    const url = `${page.service.accountUrl}/api/v3/projects/23423233/folders/${folderId}/files`;
    const headers = { 'x-api-key': DEMO_API_KEY, 'user-agent': 'Test (test@example.com)' };
    return (await fetch(url, { headers })).status;
  };
  await page.act('fault', { fault: 'folder-refused', folderId: 67811579 });
  expect([await status(67811579), await status(67811578)]).toEqual([403, 200]);
});

test('Slack fails in one way at a time, until it works again', async () => {
  const page = await startedPage();
  const received = await receiveState(page.page.address);
  const post = async () => {
    const response = await fetch(`${page.slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${page.slack.botToken}` },
      body: new URLSearchParams({ channel: page.slack.ids.channels['design'] ?? '', text: 'Hi' }),
    });
    return [response.status, /"error":"(\w+)"/.exec(await response.text())?.[1]];
  };
  const answers = [];
  for (const slackFault of ['busy', 'mute', 'revoked', 'down', 'works']) {
    expect((await page.act('slackFault', { slackFault })).status).toBe(200);
    await received.until((state) => state.get('slackFault') === slackFault);
    answers.push(await post());
  }
  expect(answers).toEqual([
    [429, 'ratelimited'],
    [200, 'restricted_action'],
    [200, 'token_revoked'],
    [503, undefined],
    [200, undefined],
  ]);
  expect((await page.act('slackFault', { slackFault: 'none' })).status).toBe(400);
});
