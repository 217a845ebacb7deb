import { expect, test } from 'vitest';
import { chooseOf, make, openPage, shareInPage, typeIn } from './open-page.ts';
import { makePng } from './real-files.ts';

const PHOTO = { name: 'R&D <plan>.png', mimeType: 'image/png' };

test('the playground works fully against a service that behaves as real accounts do', async () => {
  const opened = await openPage({ profile: 'real', width: 1440, height: 1000 });
  const { page, messages, service, composer, troubles, playground } = opened;
  await page.getByRole('tab', { name: 'Faults' }).click();
  await expect.poll(() => page.getByLabel('The service answers').inputValue()).toBe('real');
  await service.getByText('errors with status 200').waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();

  await shareInPage(opened, [{ ...PHOTO, buffer: makePng(320, 240) }]);
  await messages.getByText(`Filed in Website relaunch › All files: ${PHOTO.name}`).waitFor();
  await typeIn(composer, '/files');
  const list = messages.locator('.message-private');
  await list.getByRole('link', { name: PHOTO.name }).first().waitFor();
  await opened.picture('real-listed');
  await chooseOf(opened, list, ['Delete', PHOTO.name]);
  await list.getByRole('button', { name: `Delete file: ${PHOTO.name}` }).click();
  await list.getByText(`Deleted ${PHOTO.name}.`).first().waitFor();
  expect(playground.service.store.files().some(({ name }) => name === PHOTO.name)).toBe(false);

  await make(opened, 'the service', 'be down');
  const buffer = Buffer.from('Twelve spots.\n');
  await shareInPage(opened, [{ name: 'Radio plan.txt', mimeType: 'text/plain', buffer }]);
  await messages.getByText('The file service can’t be reached').waitFor();
  await make(opened, 'the service', 'work');
  await messages.getByRole('button', { name: 'Try again' }).click();
  await messages.getByText('Filed in Website relaunch › All files: Radio plan.txt').waitFor();

  await page.getByLabel('You are').selectOption('Ada (admin)');
  await page.getByRole('button', { name: 'design', exact: true }).click();
  const inDesign = page.getByRole('combobox', { name: 'Message #design' });
  await inDesign.fill('/files link Website relaunch/Logos');
  await inDesign.press('Enter');
  await messages.getByText('linked this channel').waitFor();
  await service.getByText('#design', { exact: true }).waitFor();
  await opened.picture('real-linked');
  expect(troubles).toEqual([]);
});

test('the page changes how the service responds, and the app goes on', async () => {
  const opened = await openPage();
  const { page, messages, service } = opened;
  const changed = page.waitForResponse('**/api/profile');
  await page.getByRole('tab', { name: 'Faults' }).click();
  await page.getByLabel('The service answers').selectOption('as real accounts do');
  await service.getByText('errors with status 200').waitFor();
  await changed;
  await page.getByText('Pigeonhole is running').waitFor();
  await opened.picture('real-chosen');
  await shareInPage(opened, [{ ...PHOTO, buffer: makePng(160, 120) }]);
  await messages.getByText(`Filed in Website relaunch › All files: ${PHOTO.name}`).waitFor();
  expect(opened.playground.service.behaviour.profile()).toBe('real');
});
