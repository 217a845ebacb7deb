import { expect, test } from 'vitest';
import { isSeen } from './browser.ts';
import { openPage, shareInPage, textFile, typeIn } from './open-page.ts';

/** What is new, or waited for, is in view without scrolling. */

test.each([
  ['light', false],
  ['dark', true],
])(
  'a filed file is seen beside its message, and the requests in their tab: %s',
  async (name, dark) => {
    const opened = await openPage({ width: 1280, height: 800, dark });
    const { service, messages } = opened;
    await shareInPage(opened, [textFile('one.txt'), textFile('two.txt')]);
    await messages.getByText('Filed in Website relaunch › All files: one.txt, two.txt').waitFor();
    for (const words of ['one.txt', 'two.txt', 'Maya Lindqvist', '23423233/67811577'])
      await expect
        .poll(() => isSeen(service.getByText(words).last()), { message: words })
        .toBe(true);
    await opened.picture(`in-view-${name}`);
    await opened.page.getByRole('tab', { name: 'Traffic' }).click();
    await expect.poll(() => isSeen(service.getByText('/files/upload.php').last())).toBe(true);
  },
);

test('what a person types is seen, and the answer too, wherever they had scrolled', async () => {
  const opened = await openPage();
  const { page, messages, composer } = opened;
  const timeline = page.locator('#timeline-scroll');
  const toTop = () => timeline.evaluate((node) => node.scrollTo(0, 0));
  // Messages only: one typed in the same second as a private answer is numbered before that.
  for (const words of ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight']) {
    await typeIn(composer, words);
    await messages.getByText(words, { exact: true }).waitFor();
  }
  await toTop();
  await typeIn(composer, 'Thank you');
  await expect.poll(() => isSeen(messages.getByText('Thank you'))).toBe(true);
  await toTop();
  await typeIn(composer, '/files');
  await expect.poll(() => isSeen(messages.getByText('Kick-off notes.md'))).toBe(true);
  // What others write leaves the reader where they are.
  await toTop();
  await opened.playground.slack.say({ channel: 'general', user: 'ada', text: 'You are welcome' });
  await messages.getByText('You are welcome').waitFor();
  expect(await timeline.evaluate((node) => node.scrollTop)).toBe(0);
});

test('a stopped app is shown as away, and a command that fails covers nothing', async () => {
  const opened = await openPage();
  const { page, composer } = opened;
  await page.getByRole('button', { name: 'Stop the app' }).click();
  await page.getByText('Pigeonhole is stopped').waitFor();
  await page.locator('.presence-away').waitFor();
  await typeIn(composer, '/files');
  await page.getByText('Pigeonhole did not answer').waitFor();
  await expect.poll(() => composer.inputValue()).toBe('/files');
  await expect.poll(() => page.getByRole('listbox', { name: 'Commands' }).isVisible()).toBe(false);
  await page.getByLabel('You are').selectOption('Dan (external)');
  await page.getByText('Direct messages').waitFor({ state: 'detached' });
});
