import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type OpenPage, openPage } from './open-page.ts';

/** What may be attached, and what the page says about the rest. */

/** Creates files in a temporary folder, with these sizes in bytes; returns their paths. */
function filesOf(sizes: Record<string, number>): string[] {
  const folder = temporaryFolder();
  return Object.entries(sizes).map(([name, size]) => {
    const path = join(folder, name);
    writeFileSync(path, '');
    truncateSync(path, size);
    return path;
  });
}

const waitingIn = ({ page }: OpenPage) => page.getByRole('list', { name: 'Files to share' });

/** Drops what is at these paths, as a file manager does. */
async function drop({ page }: OpenPage, ...files: string[]): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await client.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
}

test('dropped files are attached, and a dropped folder is not', async () => {
  const opened = await openPage();
  const { page, troubles } = opened;
  const waiting = waitingIn(opened);
  const [crew = '', tides = ''] = filesOf({ 'crew.txt': 4, 'tides.txt': 5 });
  await drop(opened, crew);
  await waiting.getByText('crew.txt').waitFor();
  const folder = join(crew, '../Harbour');
  mkdirSync(folder);
  await drop(opened, tides, folder);
  await page.getByText('Slack takes files, not folders. Nothing was attached.').waitFor();
  await expect.poll(() => waiting.getByRole('listitem').count()).toBe(1);
  await opened.picture('folder');
  expect(troubles).toEqual([]);
});

/** Collects the requests in which the page uploads files. */
function uploadsOf({ page }: OpenPage): string[] {
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/upload')) uploads.push(request.url());
  });
  return uploads;
}

test('a file of more than 1 GB is refused before it is sent', async () => {
  const opened = await openPage();
  const { page, troubles } = opened;
  const uploads = uploadsOf(opened);
  const paths = filesOf({ 'film.mov': 1024 ** 3 + 1, 'crew.txt': 4 });
  await page.getByLabel('Attach files').setInputFiles(paths);
  await page.getByText('film.mov is too large: Slack takes files of up to 1 GB.').waitFor();
  const waiting = waitingIn(opened).getByRole('listitem');
  expect(await waiting.allInnerTexts()).toEqual([expect.stringContaining('crew.txt')]);
  expect(uploads).toEqual([]);
  expect(troubles).toEqual([]);
});

test('more files than one message takes are refused before any is sent', async () => {
  const opened = await openPage();
  const { page, troubles } = opened;
  const uploads = uploadsOf(opened);
  const names = Array.from({ length: 200 }, (_, nth) => `plan-${nth}.txt`);
  const paths = filesOf({ ...Object.fromEntries(names.map((name) => [name, 1])), 'crew.txt': 4 });
  const picker = page.getByLabel('Attach files');
  const waiting = waitingIn(opened).getByRole('listitem');
  await picker.setInputFiles(paths.slice(0, 2));
  await expect.poll(() => waiting.count()).toBe(2);
  await picker.setInputFiles(paths.slice(2));
  const told = page.getByText('One message takes up to 200 files, and these would be 201.');
  await told.waitFor();
  await expect.poll(() => waiting.count()).toBe(2);
  await picker.setInputFiles(paths.slice(2, 200));
  await expect.poll(() => waiting.count()).toBe(200);
  expect(uploads).toEqual([]);
  expect(troubles).toEqual([]);
});

test('a text is limited to the length of a message, in the channel and in a thread', async () => {
  const opened = await openPage();
  const { page, composer, messages, troubles } = opened;
  await composer.focus();
  await page.keyboard.insertText('a'.repeat(40_001));
  expect((await composer.inputValue()).length).toBe(40_000);
  const entry = messages.locator('.entry').filter({ hasText: 'So I just share them here?' });
  await entry.hover();
  await entry.getByRole('button', { name: 'Reply' }).click();
  const reply = entry.getByLabel('Reply in the thread');
  await reply.focus();
  await page.keyboard.insertText('b'.repeat(40_001));
  expect((await reply.inputValue()).length).toBe(40_000);
  await reply.press('Enter');
  await entry.getByText('bbb').waitFor();
  expect(troubles).toEqual([]);
});

test('a file that changed since it was attached stays with a reason, and the others are shared', async () => {
  const opened = await openPage();
  const { page, composer, messages } = opened;
  const waiting = waitingIn(opened);
  const paths = filesOf({ 'crew.txt': 4, 'tides.txt': 5 });
  await page.getByLabel('Attach files').setInputFiles(paths);
  await waiting.getByText('crew.txt').waitFor();
  writeFileSync(paths[0] ?? '', 'Written after it was attached.');
  await composer.fill('Both for Thursday');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('crew.txt can’t be read any more').waitFor();
  await messages.getByText('Filed in Website relaunch › All files: tides.txt').waitFor();
  expect(await waiting.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('crew.txt'),
  ]);
  await expect.poll(() => composer.inputValue()).toBe('');
  await expect.poll(() => page.getByText('does not answer').count()).toBe(0);
});
