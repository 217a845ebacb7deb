import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { isSeen, reach } from './browser.ts';
import { openPage, pickByKey, typeIn } from './open-page.ts';

const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

test.each([
  ['desktop', 1280, 720],
  ['phone', 390, 844],
])(
  'the folders to choose from are below their field, and the arrow keys show each: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, composer, troubles } = opened;
    await page.getByLabel('You are').selectOption('Ada (admin)');
    await typeIn(composer, '/files link');
    const form = page.getByRole('dialog', { name: 'Where files go' });
    const folder = form.getByRole('combobox', { name: 'Folder' });
    await folder.click();
    const options = form.getByRole('option');
    await options.first().waitFor();
    await expect.poll(() => isSeen(form.getByRole('listbox'))).toBe(true);
    const leftOf = async (element: Locator) => Number((await element.boundingBox())?.x);
    await expect
      .poll(async () => Math.abs((await leftOf(folder)) - (await leftOf(options.first()))))
      .toBeLessThan(12);
    await opened.picture(`link-folders-${size}`);
    const all = await options.all();
    expect(all.length).toBeGreaterThan(4);
    for (const option of all) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
      await expect.poll(() => isSeen(option)).toBe(true);
    }
    expect(troubles).toEqual([]);
  },
);

test('Enter does not close a form that has just opened', async () => {
  const { page, composer } = await openPage();
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await typeIn(composer, '/files link');
  const form = page.getByRole('dialog', { name: 'Where files go' });
  await form.getByRole('combobox', { name: 'Folder' }).waitFor();
  await expect.poll(() => form.evaluate((dialog) => dialog.matches(':focus'))).toBe(true);
  await page.keyboard.press('Tab');
  await expect.poll(() => form.evaluate((dialog) => dialog.matches(':focus-within'))).toBe(true);
});

test.each([
  ['desktop', 1280, 900],
  ['phone', 390, 844],
])(
  'an admin links a channel in the form with the keyboard only: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, messages, composer, troubles } = opened;
    await page.getByLabel('You are').selectOption('Ada (admin)');
    await composer.focus();
    await page.keyboard.type('/files link');
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Where files go' });
    await form.getByText('in #general will go to the folder').waitFor();
    const folder = form.getByRole('combobox', { name: 'Folder' });
    await expect.poll(() => folder.inputValue()).toBe('Website relaunch › All files');
    await opened.picture(`link-form-${size}`);

    await reach(page, folder);
    await page.keyboard.type('https://example.com/12/345');
    await pickByKey(page, form.getByRole('option', { name: 'That’s no folder’s address' }));
    await page.keyboard.press('Enter');
    const field = form
      .locator('.block-input')
      .filter({ has: page.getByRole('combobox', { name: 'Folder' }) });
    await field.getByRole('alert').getByText('Choose a folder.').waitFor();
    await opened.picture(`link-problem-${size}`);

    await page.keyboard.press('Control+A');
    await page.keyboard.type('logos');
    const found = form.getByRole('option', {
      name: 'Website relaunch › Design › Logos',
      exact: true,
    });
    await found.waitFor();
    expect(await page.evaluate<number>(SIDEWAYS)).toBe(0);
    await opened.picture(`link-search-${size}`);
    await pickByKey(page, found);
    await expect.poll(() => folder.inputValue()).toBe('Website relaunch › Design › Logos');
    await page.keyboard.press('Enter');
    await messages.getByText('filed in Website relaunch › Design › Logos').waitFor();
    await form.waitFor({ state: 'hidden' });
    expect(troubles).toEqual([]);
  },
);
