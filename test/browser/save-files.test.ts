import { expect, test } from 'vitest';
import { pressByKey, reach, SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import {
  goTo,
  type OpenPage,
  openPage,
  pickByKey,
  pressInMessages,
  shareInPage,
} from './open-page.ts';

const NAME = 'Mooring report.txt';
const FILE = { name: NAME, mimeType: 'text/plain', buffer: Buffer.from('Free.\n') };

/** Has a file filed, and opens the form. */
async function openForm(opened: OpenPage, viewer: string) {
  const { messages } = opened;
  await shareInPage(opened, [FILE]);
  await messages.getByText(`Filed in Website relaunch › All files: ${NAME}`).waitFor();
  return formOfMessage(opened, viewer);
}

/** Opens the form from the menu of the file's message, with the keyboard only. */
async function formOfMessage(opened: OpenPage, viewer: string) {
  const { page, messages } = opened;
  await page.getByLabel('You are').selectOption(viewer);
  const entry = messages.locator('.entry').filter({ hasText: NAME }).first();
  await pressInMessages(opened, entry.getByLabel('Message actions').first());
  await pressByKey(
    page,
    entry.getByRole('menuitem', { name: 'Save files to a folder' }),
    'ArrowDown',
  );
  return page.getByRole('dialog', { name: 'Save files' });
}

test.each(SIZES)(
  'an admin saves files to a folder with the keyboard only: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, troubles } = opened;
    const form = await openForm(opened, 'Ada (admin)');
    await form.getByText(`1 file: ${NAME}.`).waitFor();
    const pick = form.getByRole('radio', { name: 'Website relaunch › All files' });
    await expect.poll(() => pick.isChecked()).toBe(true);
    await form.getByText('Where files shared here go').waitFor();
    const save = form.getByRole('button', { name: 'Save', exact: true });

    await reach(page, form.getByRole('combobox', { name: 'Or another folder' }));
    await page.keyboard.type('website logos');
    const found = form.getByRole('option', {
      name: 'Website relaunch › Design › Logos',
      exact: true,
    });
    await pickByKey(page, found);
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`save-form-${size}`);
    await pressByKey(page, save);
    const done = form.getByText('Saving 1 file to Website relaunch › Design › Logos;');
    await done.waitFor();
    await messages.getByText(`Filed in Website relaunch › Design › Logos: ${NAME}`).waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`save-done-${size}`);
    await pressByKey(page, form.getByRole('button', { name: 'Close' }).last());
    await form.waitFor({ state: 'hidden' });
    expect(troubles).toEqual([]);
  },
);

test.each(SIZES)(
  'the form of a channel without a folder asks for one: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, troubles } = opened;
    await goTo(opened, 'random');
    await shareInPage(opened, [FILE]);
    await messages.getByText(NAME).first().waitFor();
    const form = await formOfMessage(opened, 'Ada (admin)');
    await form.getByRole('combobox', { name: 'Folder' }).waitFor();
    await pressByKey(page, form.getByRole('button', { name: 'Save', exact: true }));
    await form.getByRole('alert').getByText('Choose a folder.').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`save-problem-${size}`);
    expect(troubles).toEqual([]);
  },
);

test.each(SIZES)(
  'the form stays while the service is down, and saves once it works: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, troubles } = opened;
    const form = await openForm(opened, 'Ada (admin)');
    const folder = form.getByRole('combobox', { name: 'Or another folder' });
    const copy = 'Website relaunch › Copy';
    await reach(page, folder);
    await page.keyboard.type('Website relaunch/Copy');
    await pickByKey(page, form.getByRole('option', { name: copy, exact: true }));
    opened.playground.service.faults.set({ mode: 'outage' });
    await page.keyboard.press('Enter');
    const problem = form.getByRole('alert').filter({ hasText: 'weren’t saved: ' });
    await problem.getByText('can’t be reached').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`save-outage-${size}`);

    opened.playground.service.faults.clear();
    await expect.poll(() => folder.inputValue()).toBe(copy);
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
    const refusal = opened.messages.locator('.message-private');
    await refusal.getByText('Only workspace admins can save files to a folder').waitFor();
    await opened.picture(`save-refused-${size}`);
    expect(opened.troubles).toEqual([]);
  },
);
