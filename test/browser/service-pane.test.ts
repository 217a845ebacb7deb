import { expect, test } from 'vitest';
import { pressByKey, reach, SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import { make, openPage, privateMessage, shareInPage, textFile, typeIn } from './open-page.ts';

/** What people do in the service itself, and how the service and Slack are made to fail. */

test.each(SIZES)(
  'a file is added as Maya, and its folder renamed and deleted: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, service, troubles } = opened;
    const files = service.getByRole('region', { name: 'Files of the folder' });
    await files.getByLabel('Add a file as Maya').setInputFiles([textFile('From Maya.txt')]);
    await files.getByText('From Maya.txt').waitFor();

    const actions = files.getByRole('button', { name: 'Folder actions' });
    await actions.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const renaming = page.getByRole('dialog', { name: 'Rename the folder' });
    await renaming.getByLabel('Name').fill('Everything');
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`rename-${size}`);
    await page.keyboard.press('Enter');
    await files.getByRole('heading', { name: 'Website relaunch › Everything' }).waitFor();

    await reach(page, actions);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const deleting = page.getByRole('dialog', { name: 'Delete the folder?' });
    await pressByKey(page, deleting.getByRole('button', { name: 'Delete' }));
    await service.getByText('Everything').first().waitFor({ state: 'detached' });
    expect(troubles).toEqual([]);
  },
);

test('a guest and somebody of another workspace see their own channels, and use the app', async () => {
  const opened = await openPage();
  const { page, composer } = opened;
  const channels = page.getByRole('list', { name: 'Channels' }).getByRole('button');
  await page.getByLabel('You are').selectOption('Eve (guest)');
  await expect.poll(() => channels.allTextContents()).toEqual(['general', 'design']);
  await typeIn(composer, '/files');
  await privateMessage(opened, 'Kick-off notes.md').waitFor();
  await page.getByLabel('You are').selectOption('Dan (external)');
  await expect.poll(() => channels.allTextContents()).toEqual(['general', 'design', 'random']);
  await opened.picture('external');
});

test('a refused key and a refused folder hold files back, until they are mended', async () => {
  const opened = await openPage();
  const { messages } = opened;
  await make(opened, 'the service', 'refuse the key (401)');
  await shareInPage(opened, [textFile('Berths.txt')]);
  await messages.locator('[data-reaction=hourglass_flowing_sand]').waitFor();
  await make(opened, 'the service', 'work');
  await messages.getByText('Filed in Website relaunch › All files: Berths.txt').waitFor();
  await make(opened, 'the service', 'refuse one folder (403)');
  await shareInPage(opened, [textFile('Tides.txt')]);
  await messages.locator('[data-reaction=hourglass_flowing_sand]').waitFor();
  await opened.picture('folder-refused');
});

test('downloads that lead to the sign-in page at first are tried again', async () => {
  const opened = await openPage();
  const { messages } = opened;
  await make(opened, 'Slack', 'ask downloads to sign in');
  await shareInPage(opened, [textFile('Berths.txt')]);
  await messages.getByText('Filed in Website relaunch › All files: Berths.txt').waitFor();
});
