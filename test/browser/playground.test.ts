import { expect, test } from 'vitest';
import { boxesOf, SCROLLS_SIDEWAYS } from './browser.ts';
import { chooseOf, make, openPage, reachInMessages, shareInPage, typeIn } from './open-page.ts';
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
  const line = messages.getByText(
    `Filed in Website relaunch › All files: ${REPORT.name}, ${PHOTO.name}`,
  );
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

  await typeIn(composer, '/files');
  const answer = messages.locator('.message-private');
  await answer.getByRole('heading', { name: 'All files' }).waitFor();
  await opened.picture('listed');
  await chooseOf(opened, answer, ['Delete', REPORT.name]);
  const question = answer.getByText(`Delete ${REPORT.name} from Website relaunch › All files`);
  await question.waitFor();
  await opened.picture('confirm');
  await answer.getByRole('button', { name: `Keep it: ${REPORT.name}` }).click();
  await question.waitFor({ state: 'detached' });
  expect(playground.service.store.files().some(({ name }) => name === REPORT.name)).toBe(true);

  await chooseOf(opened, answer, ['Delete', REPORT.name]);
  await answer.getByRole('button', { name: `Delete file: ${REPORT.name}` }).click();
  await answer.getByText(`Deleted ${REPORT.name}.`).first().waitFor();
  await service.getByText(REPORT.name).waitFor({ state: 'detached' });
  await opened.picture('deleted');
  expect(troubles).toEqual([]);
});

test('an unsent draft stays with its person and channel', async () => {
  const opened = await openPage();
  const { page, composer, messages, troubles } = opened;
  const waiting = page.getByRole('list', { name: 'Files to share' });
  const goTo = (channel: string) =>
    page.getByRole('button', { name: channel, exact: true }).click();
  const become = (person: string) => page.getByLabel('You are').selectOption(person);
  await composer.fill('For Thursday');
  const buffer = Buffer.from('Twelve.');
  await page
    .getByLabel('Attach files')
    .setInputFiles([{ name: 'berths.txt', mimeType: 'text/plain', buffer }]);
  await waiting.getByText('berths.txt').waitFor();

  await goTo('random');
  await waiting.waitFor({ state: 'hidden' });
  await become('Cleo (member)');
  await goTo('general');
  await waiting.waitFor({ state: 'hidden' });
  await expect.poll(() => composer.inputValue()).toBe('');

  await become('Ben (member)');
  await waiting.getByText('berths.txt').waitFor();
  await expect.poll(() => composer.inputValue()).toBe('For Thursday');
  await opened.picture('draft');
  // The file is Ben's, whoever is the viewer when it arrives.
  let whose: unknown;
  await page.route('**/api/upload**', async (route) => {
    await become('Ada (admin)');
    await route.continue();
  });
  page.on('request', (request) => {
    if (request.url().endsWith('/api/share')) whose = request.postDataJSON().person;
  });
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await messages.getByText('berths.txt').first().waitFor();
  expect(whose).toBe(opened.playground.slack.ids.users['ben']);
  await waiting.waitFor({ state: 'hidden' });
  expect(troubles).toEqual([]);
});

test('a name that is markup is shown as a plain name', async () => {
  const opened = await openPage();
  const { page, messages, service, troubles } = opened;
  const name = '<img src=x onerror="document.title=1"> & <!channel>.txt';
  await opened.composer.fill('<img src=x onerror=alert(1)> <!channel> `code`');
  await shareInPage(opened, [{ name, mimeType: 'text/plain', buffer: Buffer.from('harmless') }]);

  await service.getByText('onerror="document.title=1"').waitFor();
  await messages.locator('[data-reaction=white_check_mark]').waitFor();
  await messages.getByText('<img src=x onerror=alert(1)> <!channel>').waitFor();
  await expect.poll(() => page.locator('img[src=x]').count()).toBe(0);
  expect(await page.title()).toBe('Pigeonhole playground');
  expect(troubles).toEqual([]);
  await opened.picture('hostile-name');
});

test('files shared while the service is down are filed afterwards', async () => {
  const opened = await openPage();
  const { page, messages, service } = opened;
  await page.getByRole('tab', { name: 'Faults' }).click();
  await page.getByLabel('Make the service').selectOption('be down');
  await service.getByText('Nothing answers at all').waitFor();
  const buffer = Buffer.from('Twelve spots.\n');
  await shareInPage(opened, [{ name: 'Radio plan.txt', mimeType: 'text/plain', buffer }]);

  await messages.locator('[data-reaction=hourglass_flowing_sand]').waitFor();
  await messages.getByText('The file service can’t be reached').waitFor();
  await opened.picture('outage');
  await make(opened, 'the service', 'work');
  await messages.getByRole('button', { name: 'Try again' }).click();

  await messages.getByText('Filed in Website relaunch › All files: Radio plan.txt').waitFor();
  await messages.locator('[data-reaction=white_check_mark]').waitFor();
  await service.getByText('Radio plan.txt').waitFor();
});

test('files shared while the app is stopped are filed once it runs again', async () => {
  const opened = await openPage();
  const { page, messages, service } = opened;
  await page.getByRole('button', { name: 'Stop the app' }).click();
  await page.getByText('Pigeonhole is stopped').waitFor();
  const buffer = Buffer.from('Shared in the dark.\n');
  // Slack redelivers the event a few times; the page's request ends when Slack gives up.
  const givenUp = page.waitForResponse('**/api/share');
  await shareInPage(opened, [{ name: 'night.txt', mimeType: 'text/plain', buffer }]);
  await messages.getByText('night.txt').waitFor();
  await givenUp;
  await page.getByRole('button', { name: 'Start the app' }).click();

  await service.getByText('night.txt').waitFor();
  await messages.getByText('While I was away').waitFor();
});

test('an admin links a channel with a button, in dark mode', async () => {
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
  await answer.getByRole('button', { name: /Design for this channel$/ }).click();
  await messages.getByText('linked this channel').waitFor();
  await service.getByText('#design', { exact: true }).waitFor();
  await opened.picture('dark');
});

test('commands in a thread are explained, and replies are posted', async () => {
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

test('the page has one column on a phone, and nothing scrolls sideways', async () => {
  const opened = await openPage({ width: 390, height: 844 });
  const { page, messages, composer } = opened;
  const stays = async (when: string) =>
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS), when).toEqual([]);
  await shareInPage(opened, [{ ...PHOTO, buffer: makePng(160, 120) }]);
  await messages.getByText(`Filed in Website relaunch › All files: ${PHOTO.name}`).waitFor();
  await stays('shared');
  await opened.picture('phone');
  const name = `${'Quarterly_numbers_and_all_that_is_said_of_them_'.repeat(4)}.txt`;
  await shareInPage(opened, [{ name, mimeType: 'text/plain', buffer: Buffer.from('12') }]);
  await messages.getByText('Filed in Website relaunch › All files: Quarterly').waitFor();
  await stays('a long name');
  for (const command of ['/files', '/files find', '/folders', '/files help']) {
    await composer.fill(command);
    await stays(`typing ${command}`);
    const before = await messages.locator('.message-private').count();
    await composer.press('Enter');
    await messages.locator('.message-private').nth(before).waitFor();
    await stays(command);
    await opened.picture(`phone${command.replaceAll(/\W/g, '-')}`);
  }
  await page.getByRole('tab', { name: 'Traffic' }).click();
  await opened.service.scrollIntoViewIfNeeded();
  await stays('the service');
  await page.screenshot({ path: 'test/browser/out/phone-whole.png', fullPage: true });
  await page.getByRole('button', { name: 'Stop the app' }).click();
  await page.getByRole('button', { name: 'Start the app' }).waitFor();
  await stays('stopped');
});

test.each([390, 800, 1100])('nothing is cut off or broken at a width of %i', async (width) => {
  const { page, composer } = await openPage({ width });
  // A closed select cuts its text off; its widest needs room for the arrow, too.
  const room = await page.getByLabel('You are').evaluate((select) => {
    const wide = select.cloneNode(true);
    wide.style.width = 'max-content';
    select.after(wide);
    const needed = wide.offsetWidth;
    wide.remove();
    return select.offsetWidth - needed;
  });
  expect(room).toBeGreaterThanOrEqual(0);
  // A placeholder that needs two lines makes the box, which has one, scroll.
  const overflow = composer.evaluate((box) => box.scrollHeight - box.clientHeight);
  expect(await overflow).toBe(0);
  await page.getByRole('tab', { name: 'Traffic' }).click();
  await page.locator('.meter-words').waitFor();
  const [words, main, timings] = await boxesOf(page, '.meter-words', 'main', '.timings');
  expect(words?.height).toBeLessThan(30);
  expect(Number(timings?.top) - Number(main?.bottom)).toBeGreaterThanOrEqual(8);
});

test('a pressed control keeps the focus, or its replacement gets it', async () => {
  const opened = await openPage();
  const { page, messages, service, composer } = opened;
  const buffer = Buffer.from('Twelve spots.\n');
  const files = ['one.txt', 'two.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer }));
  await shareInPage(opened, files);
  await messages.getByText('Filed in Website relaunch › All files: one.txt, two.txt').waitFor();
  const focused = () =>
    page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
    );

  await typeIn(composer, '/files');
  const list = messages.locator('.message-private');
  await chooseOf(opened, list, ['Delete', 'two.txt']);
  await list.getByText('Delete two.txt from').waitFor();
  await expect.poll(focused).toBe('Keep it: two.txt');
  await list.getByRole('button', { name: 'Delete file: two.txt' }).press('Enter');
  await list.getByText('Deleted two.txt.').first().waitFor();
  await expect.poll(focused).toBe('Put back two.txt');
  await expect.poll(() => list.locator(':focus').count()).toBe(1);

  await service.getByRole('button', { name: /Delete in the service.*: one\.txt/ }).press('Enter');
  await service.getByText('one.txt', { exact: true }).waitFor({ state: 'detached' });
  await expect.poll(focused).toMatch(/^(Download|Delete in the service)/);

  await page.getByRole('button', { name: 'Stop the app' }).press('Enter');
  await page.getByText('Pigeonhole is stopped').waitFor();
  await expect.poll(focused).toBe('Start the app');
});

test('a person turns and filters a search with the keyboard only', async () => {
  const opened = await openPage();
  const { page, messages, composer } = opened;
  const names = Array.from(
    { length: 22 },
    (_, nth) => `plan ${nth}.${nth % 11 === 0 ? 'png' : 'txt'}`,
  );
  const buffer = Buffer.from('Twelve spots.\n');
  await shareInPage(
    opened,
    names.map((name) => ({ name, mimeType: 'text/plain', buffer })),
  );
  await messages.locator('[data-reaction=white_check_mark]').waitFor();
  await typeIn(composer, '/files find PLAN');
  const list = messages.locator('.message-private');
  await list.getByText('page 1 of 5').waitFor();
  await opened.picture('found');
  await reachInMessages(opened, list.getByRole('combobox', { name: 'Page' }));
  await page.keyboard.press('ArrowDown');
  await list.getByText('page 2 of 5').waitFor();
  await reachInMessages(opened, list.getByRole('combobox', { name: 'Type' }));
  await page.keyboard.press('ArrowDown');
  await list.getByText(/^2 files in your channels/).waitFor();
  await expect.poll(() => list.getByRole('link', { name: /^plan (0|11)\.png$/ }).count()).toBe(2);
  await opened.picture('found-images');
});

test('a file in a reply is filed, and reported in that thread', async () => {
  const opened = await openPage();
  const entry = opened.messages.locator('.entry').filter({ hasText: 'So I just share them here?' });
  await entry.hover();
  await entry.getByRole('button', { name: 'Reply' }).click();
  const buffer = Buffer.from('Twelve spots.\n');
  const file = { name: 'Radio plan.txt', mimeType: 'text/plain', buffer };
  await entry.getByLabel('Add files to the reply').setInputFiles([file]);
  await entry.getByLabel('Reply in the thread').fill('Like this one');
  await entry.getByRole('button', { name: 'Send reply' }).click();

  await entry.getByText('Like this one').waitFor();
  await entry.getByText('Filed in Website relaunch › All files: Radio plan.txt').waitFor();
  await opened.service.getByText('Radio plan.txt').waitFor();
  await opened.picture('reply-with-file');
});
