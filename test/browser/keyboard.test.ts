import { expect, test } from 'vitest';
import { isSeen, pressByKey, reach, SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import { openPage, reachInMessages, textFile, typeIn } from './open-page.ts';

/** What people do with the keyboard alone. */

test('the first stop leads to the message box, and the way through the page is short', async () => {
  const opened = await openPage();
  const { page, composer, messages, service } = opened;
  for (let n = 0; n < 30; n += 1) await typeIn(composer, `Message ${n}`);
  await messages.getByText('Message 29').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.reload();
  await messages.getByText('Message 29').waitFor();
  await page.keyboard.press('Tab');
  await opened.picture('skip-link');
  await page.keyboard.press('Enter');
  await expect.poll(() => composer.evaluate((node) => node.matches(':focus'))).toBe(true);

  await page.getByRole('link', { name: 'Skip to the message box' }).focus();
  let stops = 0;
  while (!(await composer.evaluate((node) => node.matches(':focus')))) {
    await page.keyboard.press('Tab');
    stops += 1;
    expect(stops).toBeLessThan(25);
  }
  stops = 0;
  const last = service.getByRole('link', { name: /^Download/ }).first();
  while (!(await last.evaluate((node) => node.matches(':focus')))) {
    await page.keyboard.press('Tab');
    stops += 1;
    expect(stops).toBeLessThan(12);
  }
});

test('the arrow keys lead from message to message, and from file to file', async () => {
  const opened = await openPage();
  const { page, composer, messages, service } = opened;
  const entries = messages.locator('.entry');
  await composer.focus();
  await reach(page, entries.last(), 'Shift+Tab');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => entries.nth(-2).evaluate((node) => node.matches(':focus'))).toBe(true);
  await page.keyboard.press('Home');
  await expect.poll(() => entries.first().evaluate((node) => node.matches(':focus'))).toBe(true);
  await page.keyboard.press('End');
  await expect.poll(() => entries.last().evaluate((node) => node.matches(':focus'))).toBe(true);

  const folder = service.getByRole('button', { name: /^All files/ }).first();
  await reach(page, folder);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await service.getByRole('heading', { name: 'Website relaunch › Design' }).waitFor();
});

test.each(SIZES)(
  'a file is sent, and its message deleted from a menu: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, composer, messages, troubles } = opened;
    const choosing = page.waitForEvent('filechooser');
    await composer.focus();
    await reach(page, page.getByLabel('Attach files'), 'Shift+Tab');
    await page.keyboard.press('Space');
    await (await choosing).setFiles([textFile('Tides.txt')]);
    await page.getByRole('list', { name: 'Files to share' }).getByText('Tides.txt').waitFor();
    await expect.poll(() => composer.evaluate((node) => node.matches(':focus'))).toBe(true);
    await page.keyboard.press('Enter');
    await messages.getByText('Filed in Website relaunch › All files: Tides.txt').waitFor();

    const entry = messages.locator('.entry').filter({ hasText: 'Tides.txt' });
    const menu = entry.getByRole('button', { name: 'Message actions' }).first();
    await reachInMessages(opened, menu);
    await page.keyboard.press('ArrowUp');
    const last = page.getByRole('menuitem', { name: 'Delete message' });
    await expect.poll(() => last.evaluate((node) => node.matches(':focus'))).toBe(true);
    await expect.poll(() => isSeen(last)).toBe(true);
    await opened.picture(`menu-by-keys-${size}`);
    await page.keyboard.press('ArrowDown');
    const first = page.getByRole('menuitem').first();
    await expect.poll(() => first.evaluate((node) => node.matches(':focus'))).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => menu.evaluate((node) => node.matches(':focus'))).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Delete message?' });
    await pressByKey(page, question.getByRole('button', { name: 'Delete' }));
    await messages.getByText('Deleted').or(messages.getByText('was deleted')).first().waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    expect(troubles).toEqual([]);
  },
);

test('the arrow keys choose a tab, of the service and of the app', async () => {
  const { page } = await openPage();
  const tab = (name: string) => page.getByRole('tab', { name });
  await tab('Files').focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => tab('Traffic').getAttribute('aria-selected')).toBe('true');
  await page.getByRole('heading', { name: 'Last requests' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.getByLabel('Make Slack').waitFor();
  await expect.poll(() => tab('Files').getAttribute('tabindex')).toBe('-1');

  await page.getByRole('button', { name: 'Pigeonhole', exact: true }).press('Enter');
  await page.getByRole('tabpanel', { name: 'Home' }).getByText('#general').first().waitFor();
  await reach(page, tab('Home'));
  await page.keyboard.press('ArrowRight');
  const box = page.getByRole('combobox', { name: 'Message Pigeonhole' });
  await box.waitFor();
  await expect.poll(async () => (await box.boundingBox())?.height).toBeGreaterThan(20);
});

test('on a phone the message box is in view, and the service is reached from the top', async () => {
  const opened = await openPage({ width: 390, height: 844 });
  const { page, composer } = opened;
  await expect.poll(() => isSeen(composer)).toBe(true);
  expect(await page.evaluate('scrollY')).toBe(0);
  await expect.poll(() => page.getByText('with the paper clip').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'File service' }).click();
  await expect.poll(() => isSeen(page.getByRole('tab', { name: 'Traffic' }))).toBe(true);
  await opened.picture('phone-service');
  await page.getByRole('link', { name: 'Slack' }).click();
  await expect.poll(() => isSeen(composer)).toBe(true);
});
