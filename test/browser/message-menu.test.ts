import { expect, test } from 'vitest';
import { isSeen, pressByKey, reach, SCROLLS_SIDEWAYS } from './browser.ts';
import {
  make,
  type OpenPage,
  openPage,
  pressInMessages,
  privateMessage,
  reachInMessages,
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

/** Opens the menu of the message with this text and goes to an item, with the keyboard only. */
async function choose(opened: OpenPage, message: string, item: string) {
  const { page, messages } = opened;
  const entry = messages.locator('.entry').filter({ hasText: message }).first();
  const menu = entry.getByLabel('Message actions').first();
  await pressInMessages(opened, menu);
  const chosen = entry.getByRole('menuitem', { name: item, exact: true });
  await reach(page, chosen, 'ArrowDown');
  await expect.poll(() => isSeen(chosen)).toBe(true);
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
    const said = page.getByRole('dialog').filter({ hasText: 'Shared by' });
    await said.getByText(`Filed in ${FOLDER}: Mooring report.txt`).waitFor();
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
  const items = messages.getByRole('menuitem');
  await expect
    .poll(() => items.allTextContents())
    .toEqual(['Where is this filed?', 'Save files to a folder']);
  await page.keyboard.press('Escape');
  await expect.poll(() => items.count()).toBe(0);
  await expect.poll(() => messages.locator('.message-menu > button:focus').count()).toBe(1);
  await page.keyboard.press('Enter');
  await items.first().waitFor();
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => items.count()).toBe(0);
});

test.each(SIZES)(
  'a person is asked about what they deleted in Slack, and responds: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, service, troubles } = opened;
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
      `Berths.txt was deleted in Slack. Delete it from ${FOLDER} too?`,
    );
    await question.waitFor();
    await files.getByText('Berths.txt').waitFor({ state: 'detached' });
    await expect.poll(() => files.textContent()).toContain('Tides.txt');
    await reachInMessages(opened, question.getByRole('button', { name: 'Delete file' }));
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
      `Tides.txt was deleted in Slack. Delete it from ${FOLDER} too?`,
    );
    await other.waitFor();
    await pressInMessages(opened, other.getByRole('button', { name: 'Keep it' }));
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
    const { page, messages, composer, playground, troubles } = opened;
    await make(opened, 'the service', 'be down');
    const buffer = Buffer.from('Twelve.');
    await shareInPage(opened, [{ name: 'Radio plan.txt', mimeType: 'text/plain', buffer }]);
    await messages.getByText('The file service can’t be reached').waitFor();
    await typeIn(composer, '/files status');
    const status = privateMessage(opened, 'Stuck files');
    await status.getByText('1 file waiting: Radio plan.txt').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`status-${size}`);

    // That of the line in the thread, above the answer's.
    const tryNow = messages.getByRole('button', { name: 'Try again' }).first();
    await reachInMessages(opened, tryNow);
    await expect.poll(() => isSeen(tryNow)).toBe(true);
    // Only now does the service work, so that the file waits until the button is pressed.
    playground.service.faults.set('none');
    await page.keyboard.press('Enter');
    await messages.getByText(`Filed in ${FOLDER}: Radio plan.txt`).waitFor();
    await pressInMessages(opened, status.getByRole('button', { name: 'Try again' }));
    await privateMessage(opened, 'There’s nothing to try again').waitFor();
    await privateMessage(opened, 'All filed').waitFor();
    await opened.picture(`status-after-${size}`);
    expect(troubles).toEqual([]);
  },
);
