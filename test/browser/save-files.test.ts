import { expect, test } from 'vitest';
import { isSeen, pressByKey, reach, SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import { type OpenPage, openPage, shareInPage } from './open-page.ts';

const NAME = 'Mooring report.txt';
const FILE = { name: NAME, mimeType: 'text/plain', buffer: Buffer.from('Free.\n') };

/** Has a file filed, and opens the form from its message's menu, with the keyboard only. */
async function openForm(opened: OpenPage, viewer: string) {
  const { page, messages, composer } = opened;
  await shareInPage(opened, [FILE]);
  await messages.getByText(`Filed in Website relaunch › All files: ${NAME}`).waitFor();
  await page.getByLabel('You are').selectOption(viewer);
  const entry = messages.locator('.entry').filter({ hasText: NAME }).first();
  await composer.focus();
  await pressByKey(page, entry.getByLabel('Message actions').first(), 'Shift+Tab');
  await pressByKey(page, entry.getByRole('button', { name: 'Save files to a folder' }));
  return page.getByRole('dialog', { name: 'Save files' });
}

test.each(SIZES)(
  'an admin saves files to a folder with the keyboard only: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, troubles } = opened;
    const form = await openForm(opened, 'Ada (admin)');
    await form.getByText(`1 file: ${NAME}. Save to this folder, or choose another`).waitFor();
    const pick = form.getByRole('radio', { name: 'Website relaunch › All files' });
    expect(await pick.isChecked()).toBe(true);
    await form.getByText('Where files shared here go').waitFor();
    const save = form.getByRole('button', { name: 'Save', exact: true });

    await reach(page, form.getByRole('combobox', { name: 'Project' }));
    await page.keyboard.type('website');
    await pressByKey(page, form.getByRole('option', { name: 'Website relaunch' }));
    const folder = form.getByRole('combobox', { name: 'Folder' });
    await folder.waitFor();
    await pressByKey(page, save);
    await form.getByRole('alert').getByText('Choose a folder.').waitFor();
    await opened.picture(`save-problem-${size}`);
    await reach(page, folder);
    await page.keyboard.type('logos');
    const found = form.getByRole('option', { name: /Logos/ });
    await reach(page, found);
    expect(await isSeen(found)).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`save-form-${size}`);
    await pressByKey(page, save);
    const done = form.getByText('1 file is on the way to Website relaunch › Logos.');
    await done.waitFor();
    await messages.getByText(`Filed in Website relaunch › Logos: ${NAME}`).waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`save-done-${size}`);
    await pressByKey(page, form.getByRole('button', { name: 'Close' }).last());
    await form.waitFor({ state: 'hidden' });
    expect(troubles).toEqual([]);
  },
);

test.each(SIZES)(
  'the form stays while the service is down, and saves once it works: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, troubles } = opened;
    const form = await openForm(opened, 'Ada (admin)');
    const address = form.getByRole('textbox', { name: /web address/ });
    await reach(page, address);
    await page.keyboard.type('Website relaunch/Copy');
    opened.playground.service.faults.set({ mode: 'outage' });
    await page.keyboard.press('Enter');
    await form.getByText('weren’t saved: ').waitFor();
    await form.getByText('can’t be reached').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`save-outage-${size}`);

    opened.playground.service.faults.clear();
    expect(await address.inputValue()).toBe('Website relaunch/Copy');
    await pressByKey(page, form.getByRole('button', { name: 'Save', exact: true }));
    await messages.getByText(`Filed in Website relaunch › Copy: ${NAME}`).waitFor();
    expect(troubles).toEqual([]);
  },
);

test.each(SIZES)(
  'a person without the right to save files reads who has it: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    await openForm(opened, 'Cleo (member)');
    const refusal = opened.messages
      .locator('.message-private')
      .filter({ hasText: 'Nothing was saved' });
    await refusal.getByText('Only workspace admins can save files to a folder').waitFor();
    await opened.picture(`save-refused-${size}`);
    expect(opened.troubles).toEqual([]);
  },
);
