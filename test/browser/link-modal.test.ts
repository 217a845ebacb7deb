import { expect, test } from 'vitest';
import { isSeen } from './browser.ts';
import { openPage, typeIn } from './open-page.ts';

const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

test.each([
  ['desktop', 1280, 720],
  ['phone', 390, 844],
])('all folders to choose from are visible below their field: %s', async (size, width, height) => {
  const opened = await openPage({ width, height });
  const { page, composer, troubles } = opened;
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await typeIn(composer, '/files link');
  const form = page.getByRole('dialog', { name: 'Link to a folder' });
  const folder = form.getByRole('combobox', { name: 'Folder' });
  await folder.click();
  const options = form.getByRole('option');
  await options.first().waitFor();
  const seen = await Promise.all((await options.all()).map(isSeen));
  expect(seen.length).toBeGreaterThan(4);
  expect(seen).not.toContain(false);
  const [field, first] = [await folder.boundingBox(), await options.first().boundingBox()];
  expect(Math.abs((field?.x ?? 0) - (first?.x ?? 0))).toBeLessThan(12);
  await opened.picture(`link-folders-${size}`);
  expect(troubles).toEqual([]);
});

test('Enter does not close a form that has just opened', async () => {
  const { page, composer } = await openPage();
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await typeIn(composer, '/files link');
  const form = page.getByRole('dialog', { name: 'Link to a folder' });
  await form.getByRole('combobox', { name: 'Folder' }).waitFor();
  expect(await form.evaluate((dialog) => dialog.matches(':focus'))).toBe(true);
  await page.keyboard.press('Tab');
  expect(await form.evaluate((dialog) => dialog.matches(':focus-within'))).toBe(true);
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
    const form = page.getByRole('dialog', { name: 'Link to a folder' });
    await form.getByText('in #general will be filed').waitFor();
    // The folder is preselected with the channel's current project.
    const folder = form.getByRole('combobox', { name: 'Folder' });
    await folder.waitFor();
    expect(await form.getByRole('combobox', { name: 'Project' }).inputValue()).not.toBe('');
    await opened.picture(`link-form-${size}`);

    await folder.focus();
    await page.keyboard.type('logos');
    const found = form.getByRole('option', { name: /Logos/ });
    await found.waitFor();
    expect(await page.evaluate<number>(SIDEWAYS)).toBe(0);
    await opened.picture(`link-search-${size}`);
    await page.keyboard.press('Tab');
    while ((await form.locator('[role=option]:focus').count()) === 0)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await folder.inputValue()).toMatch(/Logos$/);

    const address = form.getByRole('textbox', { name: /address/ });
    await address.focus();
    await page.keyboard.type('12/345');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').getByText('not both').waitFor();
    await opened.picture(`link-problem-${size}`);
    for (let n = 0; n < 6; n += 1) {
      await address.focus();
      await page.keyboard.press('Backspace');
    }
    await page.keyboard.press('Enter');
    await messages.getByText('filed in Website relaunch › Logos').waitFor();
    await form.waitFor({ state: 'hidden' });
    expect(troubles).toEqual([]);
  },
);
