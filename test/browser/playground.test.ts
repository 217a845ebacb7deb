import { expect, test } from 'vitest';
import { openPage, shareInPage } from './open-page.ts';
import { makePdf, makePng } from './real-files.ts';

const REPORT = { name: 'Mooring report.pdf', mimeType: 'application/pdf' };
const PHOTO = { name: 'harbour at dusk.png', mimeType: 'image/png' };

test('files are shared, filed, listed and deleted', async () => {
  const opened = await openPage();
  const { page, messages, service, composer, troubles, playground } = opened;
  await composer.fill('The report, and how it looked *at dusk*');
  const pdf = makePdf('All berths are free.');
  const png = makePng(320, 240);
  await shareInPage(opened, [
    { ...REPORT, buffer: pdf },
    { ...PHOTO, buffer: png },
  ]);

  await messages.getByText(REPORT.name).first().waitFor();
  await messages.locator('[data-reaction=white_check_mark]').waitFor();
  const line = messages.getByText(`Filed in All files: ${REPORT.name}, ${PHOTO.name}`);
  await line.waitFor();
  await messages.locator('img.thumbnail').waitFor();
  await page.waitForFunction(`document.querySelector('img.thumbnail').naturalWidth === 320`);
  await service.getByText(PHOTO.name).waitFor();
  const records = playground.service.store.files().filter(({ name }) => name === REPORT.name);
  expect(records.map(({ byteSize }) => byteSize)).toEqual([pdf.length]);
  const download = page.waitForEvent('download');
  await service.getByRole('link', { name: `Download ${REPORT.name}` }).click();
  expect((await download).suggestedFilename()).toBe(REPORT.name);
  await opened.picture('shared');

  await composer.fill('/files');
  await composer.press('Enter');
  const answer = messages.locator('.message-private');
  await answer.getByRole('heading', { name: 'All files' }).waitFor();
  // The README's picture.
  await page.getByLabel('It answers').scrollIntoViewIfNeeded();
  await opened.picture('listed');
  await answer.getByRole('button', { name: `Delete ${REPORT.name}` }).click();
  const question = page.getByRole('dialog', { name: 'Delete this file?' });
  await question.getByText(REPORT.name).waitFor();
  await opened.picture('confirm');
  await question.getByRole('button', { name: 'Keep it' }).click();
  await question.waitFor({ state: 'detached' });
  expect(playground.service.store.files().some(({ name }) => name === REPORT.name)).toBe(true);

  await answer.getByRole('button', { name: `Delete ${REPORT.name}` }).click();
  await question.getByRole('button', { name: 'Delete file' }).click();
  await answer.getByText(`Deleted ${REPORT.name}.`).waitFor();
  await service.getByText(REPORT.name).waitFor({ state: 'detached' });
  await opened.picture('deleted');
  expect(troubles).toEqual([]);
});

test('a name that is markup stays a name', async () => {
  const opened = await openPage();
  const { page, messages, service, troubles } = opened;
  const name = '<img src=x onerror="document.title=1"> & <!channel>.txt';
  await opened.composer.fill('<img src=x onerror=alert(1)> <!channel> `code`');
  await shareInPage(opened, [{ name, mimeType: 'text/plain', buffer: Buffer.from('harmless') }]);

  await service.getByText('onerror="document.title=1"').waitFor();
  await messages.locator('[data-reaction=white_check_mark]').waitFor();
  await messages.getByText('<img src=x onerror=alert(1)> <!channel>').waitFor();
  expect(await page.locator('img[src=x]').count()).toBe(0);
  expect(await page.title()).toBe('Pigeonhole playground');
  expect(troubles).toEqual([]);
  await opened.picture('hostile-name');
});

test('what is shared while the service is out is filed afterwards', async () => {
  const opened = await openPage();
  const { page, messages, service } = opened;
  const mood = page.getByLabel('Make the service');
  await mood.selectOption('be out');
  await service.getByText('Nothing answers at all').waitFor();
  const buffer = Buffer.from('Twelve spots.\n');
  await shareInPage(opened, [{ name: 'Radio plan.txt', mimeType: 'text/plain', buffer }]);

  await messages.locator('[data-reaction=hourglass_flowing_sand]').waitFor();
  await messages.getByText('The file service can’t be reached').waitFor();
  await opened.picture('outage');
  await mood.selectOption('work');
  await messages.getByRole('button', { name: 'Try now' }).click();

  await messages.getByText('Filed in All files: Radio plan.txt').waitFor();
  await messages.locator('[data-reaction=white_check_mark]').waitFor();
  await service.getByText('Radio plan.txt').waitFor();
});

test('what is shared while the app is stopped is filed once it runs again', async () => {
  const opened = await openPage();
  const { page, messages, service } = opened;
  await page.getByRole('button', { name: 'Stop the app' }).click();
  await page.getByText('Pigeonhole is stopped').waitFor();
  const buffer = Buffer.from('Shared in the dark.\n');
  // Slack delivers the event again a few times; the page's request ends when it gives up.
  const givenUp = page.waitForResponse('**/api/share');
  await shareInPage(opened, [{ name: 'night.txt', mimeType: 'text/plain', buffer }]);
  await messages.getByText('night.txt').waitFor();
  await givenUp;
  await page.getByRole('button', { name: 'Start the app' }).click();

  await service.getByText('night.txt').waitFor();
  await messages.getByText('While I was away').waitFor();
});

test('an admin links a channel by a button, in a dark room', async () => {
  const opened = await openPage({ dark: true, width: 1024 });
  const { page, messages, service } = opened;
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await page.getByRole('button', { name: 'design', exact: true }).click();
  const composer = page.getByRole('combobox', { name: 'Message #design' });
  await composer.pressSequentially('/fol');
  await page.getByRole('option', { name: /^\/folders/ }).waitFor();
  await opened.picture('command-hints');
  await composer.press('Tab');
  await composer.press('Enter');

  const answer = messages.locator('.message-private');
  await answer.getByRole('button', { name: /Website relaunch/ }).click();
  await answer.getByRole('button', { name: /Design/ }).click();
  await messages.getByText('linked this channel').waitFor();
  await service.getByText('#design', { exact: true }).waitFor();
  await opened.picture('dark');
});

test('commands in a thread are explained, replies are said', async () => {
  const opened = await openPage();
  const { page, messages } = opened;
  const entry = messages.locator('.entry').filter({ hasText: 'So I just share them here?' });
  await entry.hover();
  await entry.getByRole('button', { name: 'Reply' }).click();
  const reply = entry.getByLabel('Reply in the thread');
  await reply.fill('/files');
  await reply.press('Enter');
  await page.getByText('Slack has no commands in threads').waitFor();
  await reply.fill('Yes, that is all.');
  await reply.press('Enter');
  await entry.getByText('Yes, that is all.').waitFor();
  await entry.getByRole('button', { name: '1 reply' }).click();
  await entry.getByText('Yes, that is all.').waitFor({ state: 'hidden' });
});

test('the page stands one thing below another on a phone', async () => {
  const opened = await openPage({ width: 390, height: 844 });
  const { page } = opened;
  await shareInPage(opened, [{ ...PHOTO, buffer: makePng(160, 120) }]);
  await opened.messages.getByText(`Filed in All files: ${PHOTO.name}`).waitFor();
  await opened.picture('phone');
  const sizes = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  const overflow = await page.evaluate<number>(sizes);
  expect(overflow).toBeLessThanOrEqual(0);
});
