import { expect, test } from 'vitest';
import { pressByKey, reach, SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import {
  goTo,
  type OpenPage,
  openPage,
  privateMessage,
  shareInPage,
  textFile,
  typeIn,
} from './open-page.ts';

/** Lists from commands, used with the keyboard only. */

const FOLDER = 'Website relaunch › All files';

async function share(opened: OpenPage, names: string[]): Promise<void> {
  await shareInPage(opened, names.map(textFile));
  await opened.messages.getByText(`Filed in ${FOLDER}: ${names[0]}`).waitFor();
}

test.each(SIZES)(
  'a person filters /files, turns its pages and deletes a file: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, composer, service, troubles } = opened;
    await share(
      opened,
      Array.from({ length: 12 }, (_, nth) => `Berth plan ${nth}.txt`),
    );
    await typeIn(composer, '/files plan berth');
    const list = privateMessage(opened, 'Berth plan');
    await list.getByText('page 1 of 2').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`files-${size}`);
    await pressByKey(page, list.getByRole('button', { name: 'Older' }), 'Shift+Tab');
    await list.getByText('page 2 of 2').waitFor();
    const last = list.getByRole('button', { name: 'Delete Berth plan 0.txt' });
    await composer.focus();
    await pressByKey(page, last, 'Shift+Tab');
    const question = page.getByRole('dialog', { name: 'Delete this file?' });
    await question.getByText('Berth plan 0.txt').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`files-delete-${size}`);
    await pressByKey(page, question.getByRole('button', { name: 'Delete file' }));
    await list.getByText('Deleted Berth plan 0.txt.').first().waitFor();
    await service.getByText('Berth plan 0.txt', { exact: true }).waitFor({ state: 'detached' });
    await composer.focus();
    await pressByKey(page, list.getByRole('button', { name: 'Show all' }), 'Shift+Tab');
    await list.getByText(/^13 files/).waitFor();
    expect(troubles).toEqual([]);
  },
);

test('a second file is deleted from a list that was redrawn during the confirmation', async () => {
  const opened = await openPage();
  const { page, composer, service, troubles } = opened;
  await share(opened, ['Berth a.txt', 'Berth b.txt']);
  await typeIn(composer, '/files berth');
  const list = privateMessage(opened, 'Berth');
  const remove = (name: string) => list.getByRole('button', { name: `Delete ${name}` }).click();
  const agree = page.getByRole('button', { name: 'Delete file' });
  await remove('Berth a.txt');
  await agree.click();
  await remove('Berth b.txt');
  await list.getByText('Deleted Berth a.txt.').waitFor();
  await agree.click();
  await list.getByText('Deleted Berth b.txt.').waitFor();
  await service.getByText('Berth b.txt', { exact: true }).waitFor({ state: 'detached' });
  expect(troubles).toEqual([]);
});

test('a double click in a confirmation does not ask about the file whose button is beneath', async () => {
  const opened = await openPage({ width: 1280, height: 900 });
  const { page, composer } = opened;
  const names = Array.from({ length: 9 }, (_, nth) => `Berth ${nth}.txt`);
  await share(opened, names);
  await typeIn(composer, '/files');
  const list = privateMessage(opened, 'Berth');
  await list.getByRole('button', { name: 'Delete Berth 8.txt' }).click();
  await page.getByRole('button', { name: 'Delete file' }).dblclick();
  await list.getByText('Deleted Berth 8.txt.').first().waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test.each(SIZES)('an admin links a channel from /folders: %s', async (size, width, height) => {
  const opened = await openPage({ width, height });
  const { page, messages, troubles } = opened;
  await page.getByLabel('You are').selectOption('Ada (admin)');
  const composer = await goTo(opened, 'design');
  await typeIn(composer, '/folders');
  const list = privateMessage(opened, 'Projects');
  await pressByKey(page, list.getByRole('button', { name: /Office move/ }), 'Shift+Tab');
  const folders = privateMessage(opened, 'Folders of Office move');
  await folders.waitFor();
  expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
  await opened.picture(`folders-${size}`);
  await composer.focus();
  await pressByKey(page, folders.getByRole('button', { name: 'All projects' }), 'Shift+Tab');
  const website = privateMessage(opened, 'Projects').getByRole('button', { name: /Website/ });
  await website.waitFor();
  await composer.focus();
  await pressByKey(page, website, 'Shift+Tab');
  const other = privateMessage(opened, 'Folders of Website relaunch');
  await other.waitFor();
  await composer.focus();
  await reach(page, other.getByRole('button', { name: /Link.*Screens/ }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await messages.getByText('filed in Website relaunch › Screens').waitFor();
  expect(troubles).toEqual([]);
});

test.each(SIZES)(
  'a person reads a search in all channels, and the help: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, composer, troubles } = opened;
    await share(opened, ['Tide table.txt']);
    await typeIn(composer, '/files find tide');
    const found = privateMessage(opened, 'Files with “tide”');
    const link = found.getByRole('link', { name: 'Tide table.txt' }).first();
    await link.waitFor();
    await reach(page, link, 'Shift+Tab');
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`find-${size}`);
    await typeIn(composer, '/files hlep');
    await privateMessage(opened, 'Did you mean').waitFor();
    await typeIn(composer, '/files help');
    await privateMessage(opened, 'the files in this channel’s folder').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`help-${size}`);
    expect(troubles).toEqual([]);
  },
);
