import { expect, test } from 'vitest';
import { isSeen, pressByKey, reach, SCROLLS_SIDEWAYS } from './browser.ts';
import {
  type OpenPage,
  openPage,
  privateMessage,
  shareInPage,
  textFile,
  typeIn,
} from './open-page.ts';

/** The widths of a desktop and of a phone. */
const SIZES = [
  ['desktop', 1280, 800],
  ['phone', 390, 844],
] as const;
const FOLDER = 'Website relaunch › All files';

async function share(opened: OpenPage, ...names: string[]): Promise<void> {
  await shareInPage(opened, names.map(textFile));
  await opened.messages.getByText(`Filed in ${FOLDER}: ${names.join(', ')}`).waitFor();
}

/** Opens the menu of the message with this text and chooses an item, with the keyboard only. */
async function choose({ page, messages, composer }: OpenPage, message: string, item: string) {
  const entry = messages.locator('.entry').filter({ hasText: message }).first();
  const menu = entry.getByLabel('Message actions').first();
  await composer.focus();
  await pressByKey(page, menu, 'Shift+Tab');
  const chosen = entry.getByRole('button', { name: item, exact: true });
  await reach(page, chosen);
  expect(await isSeen(chosen)).toBe(true);
  expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
  return { press: () => page.keyboard.press('Enter') };
}

test.each(SIZES)(
  'a message menu shows where the message’s files are: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, troubles } = opened;
    await share(opened, 'Mooring report.txt');
    const item = await choose(opened, 'Mooring report.txt', 'Where is this filed?');
    await opened.picture(`message-menu-${size}`);
    await item.press();
    const said = privateMessage(opened, 'Shared by');
    await said.getByText(`Filed in ${FOLDER}: Mooring report.txt`).waitFor();
    await said.scrollIntoViewIfNeeded();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`where-filed-${size}`);
    expect(troubles).toEqual([]);
  },
);

test('the menu closes on Escape and on losing the focus, and cannot delete other people’s messages', async () => {
  const opened = await openPage();
  const { page, messages } = opened;
  await share(opened, 'Tides.txt');
  await page.getByLabel('You are').selectOption('Cleo (member)');
  await choose(opened, 'Tides.txt', 'Where is this filed?');
  const items = messages.locator('.message-menu[open] button');
  expect(await items.allTextContents()).toEqual(['Where is this filed?', 'Save files to a folder']);
  await page.keyboard.press('Escape');
  expect(await items.count()).toBe(0);
  expect(await messages.locator('.message-menu summary:focus').count()).toBe(1);
  await page.keyboard.press('Enter');
  await items.first().waitFor();
  await page.keyboard.press('Shift+Tab');
  expect(await items.count()).toBe(0);
});

test.each(SIZES)(
  'a person is asked about what they deleted in Slack, and responds: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, service, composer, troubles } = opened;
    await share(opened, 'Berths.txt', 'Tides.txt');
    const files = page.getByRole('list', { name: 'Files', exact: true });
    const message = messages.locator('.entry').filter({ has: files });
    const sure = async (what: string) => {
      const dialog = page.getByRole('dialog', { name: `Delete ${what}?` });
      await dialog.waitFor();
      await pressByKey(page, dialog.getByRole('button', { name: 'Delete' }));
    };

    await (await choose(opened, 'Berths.txt', 'Delete Berths.txt')).press();
    await sure('Berths.txt');
    const question = privateMessage(
      opened,
      `Berths.txt was deleted in Slack, and is still in ${FOLDER}.`,
    );
    await question.waitFor();
    await files.getByText('Berths.txt').waitFor({ state: 'detached' });
    expect(await files.textContent()).toContain('Tides.txt');
    await composer.focus();
    await reach(page, question.getByRole('button', { name: 'Delete file' }), 'Shift+Tab');
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`deletion-question-${size}`);
    await page.keyboard.press('Enter');
    await privateMessage(opened, `Deleted Berths.txt from ${FOLDER}.`).waitFor();
    await service.getByText('Berths.txt').waitFor({ state: 'detached' });

    await (await choose(opened, 'Tides.txt', 'Delete message')).press();
    await sure('message');
    await message.waitFor({ state: 'detached' });
    const other = privateMessage(
      opened,
      `Tides.txt was deleted in Slack, and is still in ${FOLDER}.`,
    );
    await other.waitFor();
    await composer.focus();
    await pressByKey(page, other.getByRole('button', { name: 'Keep it' }), 'Shift+Tab');
    await privateMessage(opened, `Tides.txt stays in ${FOLDER}.`).waitFor();
    await service.getByText('Tides.txt').waitFor();
    await opened.picture(`deletion-answered-${size}`);
    expect(troubles).toEqual([]);
  },
);

test.each(SIZES)(
  '/files status shows what is waiting, and a button retries it: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, composer, troubles } = opened;
    const fault = page.getByLabel('Make the service');
    await fault.selectOption('be down');
    const buffer = Buffer.from('Twelve.');
    await shareInPage(opened, [{ name: 'Radio plan.txt', mimeType: 'text/plain', buffer }]);
    await messages.getByText('The file service can’t be reached').waitFor();
    await typeIn(composer, '/files status');
    const status = privateMessage(opened, 'Needs attention');
    await status.getByText('1 file waiting: Radio plan.txt').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`status-${size}`);

    await fault.selectOption('work');
    await composer.focus();
    const tryNow = messages.getByRole('button', { name: 'Try now' });
    await reach(page, tryNow, 'Shift+Tab');
    expect(await isSeen(tryNow)).toBe(true);
    await page.keyboard.press('Enter');
    await messages.getByText(`Filed in ${FOLDER}: Radio plan.txt`).waitFor();
    await composer.focus();
    await pressByKey(page, status.getByRole('button', { name: 'Retry all' }), 'Shift+Tab');
    await privateMessage(opened, 'There’s nothing to try again').waitFor();
    await privateMessage(opened, 'Nothing needs attention').waitFor();
    await opened.picture(`status-after-${size}`);
    expect(troubles).toEqual([]);
  },
);
