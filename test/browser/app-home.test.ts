import { expect, test } from 'vitest';
import { isSeen } from './browser.ts';
import { type OpenPage, openPage, typeIn } from './open-page.ts';

const FILE = { name: 'Radio plan.txt', mimeType: 'text/plain', buffer: Buffer.from('Twelve.\n') };

/** Shares a file that is refused, as it is only a link. */
async function shareRefused({ messages, playground: { slack } }: OpenPage): Promise<void> {
  const file = { ...FILE, bytes: FILE.buffer, variant: { mode: 'external' as const } };
  await slack.share({ channel: 'general', user: 'ben', files: [file] });
  await messages.getByText('Couldn’t be filed').waitFor();
}

/** Shares a file that waits because Slack does not let the app read it; afterwards Slack does. */
async function shareDenied({ messages, playground: { slack } }: OpenPage): Promise<void> {
  const file = { ...FILE, bytes: FILE.buffer, variant: { download: { answer: 403 } } };
  const posted = await slack.share({ channel: 'general', user: 'ben', files: [file] });
  await messages.getByText('Waiting for Slack').waitFor();
  for (const id of posted.fileIds) slack.setFileVariant(id, {});
}

const directMessages = ({ page }: OpenPage) =>
  page.getByRole('list', { name: 'Direct messages' }).getByRole('button');

test.each([
  ['desktop', 1280],
  ['phone', 390],
])('the App Home says where files go and what needs attention: %s', async (name, width) => {
  const opened = await openPage({ width, height: 844 });
  await shareRefused(opened);
  await directMessages(opened).click();
  const home = opened.page.locator('#home');
  await home.getByText('1 file couldn’t be filed: Radio plan.txt').waitFor();
  await home.getByText('#general').first().waitFor();
  expect(await home.evaluate((node) => node.scrollWidth <= node.clientWidth + 1)).toBe(true);
  await home.scrollIntoViewIfNeeded();
  await opened.picture(`app-home-${name}`);
  expect(opened.troubles).toEqual([]);
});

test.each([
  ['desktop', 1280, 720],
  ['phone', 390, 844],
])('a response in the direct messages is visible in their tab: %s', async (name, width, height) => {
  const opened = await openPage({ width, height });
  const { page, messages } = opened;
  await shareRefused(opened);
  await directMessages(opened).click();
  await page.locator('#home').getByText('#general').first().waitFor();
  await page.getByRole('tab', { name: 'Messages' }).click();
  const composer = page.getByRole('combobox', { name: 'Message Pigeonhole' });
  await typeIn(composer, 'help');
  const end = messages.getByText('all commands').last();
  await end.waitFor();
  const list = page.locator('#timeline-scroll');
  await list.scrollIntoViewIfNeeded();
  const seen = await list.evaluate((node) => node.clientHeight);
  expect(seen).toBeGreaterThan(150);
  await expect.poll(() => isSeen(end)).toBe(true);
  await opened.picture(`app-home-answer-${name}`);
  expect(opened.troubles).toEqual([]);
});

test('an admin retries from the App Home what needs attention, with the keyboard only', async () => {
  const opened = await openPage();
  const { page, service } = opened;
  await shareDenied(opened);
  await directMessages(opened).focus();
  await page.keyboard.press('Enter');
  const home = page.locator('#home');
  const retry = home.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  for (let n = 0; n < 40 && !(await retry.evaluate((node) => node.matches(':focus'))); n += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await home.getByText('Trying 1 file again.').waitFor();
  await service.getByText(FILE.name).waitFor();
  await expect.poll(() => home.locator(':focus').count()).toBe(1);
  const refresh = home.getByRole('button', { name: 'Refresh' });
  await refresh.focus();
  await page.keyboard.press('Enter');
  await home.getByText('All filed').waitFor();
  await opened.picture('app-home-well');
});

test('an admin links a channel from the App Home, chosen from the list', async () => {
  const opened = await openPage();
  const { page } = opened;
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await directMessages(opened).click();
  const picker = page.locator('#home').getByLabel('Choose a channel');
  await picker.selectOption('#random');
  await page.getByRole('dialog', { name: 'Where files go' }).getByText('#random').waitFor();
  await opened.picture('app-home-channel');
  await page.keyboard.press('Escape');
  await picker.selectOption('#random');
  await page.getByRole('dialog', { name: 'Where files go' }).waitFor();
  expect(opened.troubles).toEqual([]);
});

test('an admin skips what needs attention, after a confirmation', async () => {
  const opened = await openPage();
  const { page } = opened;
  await shareRefused(opened);
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await typeIn(opened.composer, '/files status');
  const answer = opened.messages.locator('.message-private');
  await answer.getByRole('button', { name: 'Leave in Slack' }).click();
  const question = page.getByRole('dialog', { name: 'Leave 1 file in Slack?' });
  await opened.picture('status-skip');
  await question.getByRole('button', { name: 'Leave in Slack' }).click();
  await answer.getByText('Left 1 file in Slack.').waitFor();
  await opened.messages.getByText(`Left in Slack: ${FILE.name}`).waitFor();
  expect(opened.troubles).toEqual([]);
});
