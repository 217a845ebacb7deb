import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import {
  chooseOf,
  goTo,
  menuOf,
  type OpenPage,
  openPage,
  pressInMessages,
  privateMessage,
  reachInMessages,
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
    await list.getByText('page 1 of 3').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`files-${size}`);
    await pressInMessages(opened, list.getByRole('button', { name: 'Older' }));
    await list.getByText('page 2 of 3').waitFor();
    await pressInMessages(opened, list.getByRole('button', { name: 'Older' }));
    await list.getByText('page 3 of 3').waitFor();
    await chooseOf(opened, list, ['Delete', 'Berth plan 0.txt']);
    await list.getByText(`Delete Berth plan 0.txt from ${FOLDER}`).waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`files-delete-${size}`);
    const agree = list.getByRole('button', { name: 'Delete file: Berth plan 0.txt' });
    await pressInMessages(opened, agree);
    await list.getByText('Deleted Berth plan 0.txt.').first().waitFor();
    await service.getByText('Berth plan 0.txt', { exact: true }).waitFor({ state: 'detached' });
    await pressInMessages(opened, list.getByRole('button', { name: 'Show all' }));
    await list.getByText(/^13 files/).waitFor();
    expect(troubles).toEqual([]);
  },
);

test('a list asks about a file while another is deleted from a second list', async () => {
  const opened = await openPage();
  const { composer, service, troubles } = opened;
  await share(opened, ['Berth a.txt', 'Berth b.txt']);
  const lists = privateMessage(opened, 'Berth');
  const [first, second] = [lists.nth(0), lists.nth(1)];
  for (const list of [first, second]) {
    await typeIn(composer, '/files berth');
    await list.waitFor();
  }
  const agree = (list: Locator, name: string) =>
    list.getByRole('button', { name: `Delete file: ${name}` }).click();
  await chooseOf(opened, first, ['Delete', 'Berth b.txt']);
  await first.getByText('Delete Berth b.txt from').waitFor();
  await chooseOf(opened, second, ['Delete', 'Berth a.txt']);
  await agree(second, 'Berth a.txt');
  await second.getByText('Deleted Berth a.txt.').waitFor();
  await agree(first, 'Berth b.txt');
  await first.getByText('Deleted Berth b.txt.').waitFor();
  await service.getByText('Berth b.txt', { exact: true }).waitFor({ state: 'detached' });
  expect(troubles).toEqual([]);
});

test('a double click on the question deletes one file, and chooses nothing of the list', async () => {
  const opened = await openPage({ width: 1280, height: 900 });
  const { composer, playground, troubles } = opened;
  const names = Array.from({ length: 9 }, (_, nth) => `Berth ${nth}.txt`);
  await share(opened, names);
  await typeIn(composer, '/files');
  const list = privateMessage(opened, 'Berth');
  await chooseOf(opened, list, ['Delete', 'Berth 8.txt']);
  await list.getByRole('button', { name: 'Delete file: Berth 8.txt' }).dblclick();
  await list.getByText('Deleted Berth 8.txt.').first().waitFor();
  await menuOf(list, 'Berth 7.txt').waitFor();
  await expect.poll(() => list.getByRole('menuitem').count()).toBe(0);
  const left = playground.service.store.files().map(({ name }) => name);
  expect(names.filter((name) => !left.includes(name))).toEqual(['Berth 8.txt']);
  expect(troubles).toEqual([]);
});

test.each(SIZES)('an admin links a channel from /folders: %s', async (size, width, height) => {
  const opened = await openPage({ width, height });
  const { page, messages, troubles } = opened;
  await page.getByLabel('You are').selectOption('Ada (admin)');
  const composer = await goTo(opened, 'design');
  await typeIn(composer, '/folders');
  const list = privateMessage(opened, 'Projects');
  await pressInMessages(opened, list.getByRole('button', { name: /Office move/ }));
  const folders = privateMessage(opened, 'Folders of Office move');
  await folders.waitFor();
  expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
  await opened.picture(`folders-${size}`);
  await pressInMessages(opened, folders.getByRole('button', { name: 'All projects' }));
  const website = privateMessage(opened, 'Projects').getByRole('button', { name: /Website/ });
  await website.waitFor();
  await pressInMessages(opened, website);
  const other = privateMessage(opened, 'Folders of Website relaunch');
  await other.waitFor();
  await reachInMessages(
    opened,
    other.getByRole('button', { name: /^Use .*Screens for this channel$/ }),
  );
  await page.keyboard.press('Enter');
  await messages.getByText('filed in Website relaunch › Design › Screens').waitFor();
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
    await reachInMessages(opened, link);
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
