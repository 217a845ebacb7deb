import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { startPlayground } from '../../src/playground/start-playground.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type OpenPage, openPage, typeIn } from './open-page.ts';

/** Texts and attachments stay where they were if they cannot be sent. */

const PLAN = { name: 'berths.txt', mimeType: 'text/plain', buffer: Buffer.from('Twelve.') };
const NO_ANSWER = 'The playground does not answer. Is it still running?';

/** Restarts a page's playground at the same address. */
async function startAgain({ playground }: OpenPage): Promise<void> {
  const port = Number(new URL(playground.page.address).port);
  await playground.stop();
  const options = { dataDir: join(temporaryFolder(), 'data'), fresh: true, port } as const;
  const again = await startPlayground({ ...options, profile: 'specified', logger: silentLogger });
  onTestFinished(() => again.stop());
}

const send = ({ page }: OpenPage) =>
  page.getByRole('button', { name: 'Send', exact: true }).click();

test('a draft that the playground cannot take stays, and can be sent once it runs again', async () => {
  const opened = await openPage();
  const { page, composer, messages, playground } = opened;
  const waiting = page.getByRole('list', { name: 'Files to share' });
  const notices = page.locator('#notices');
  await typeIn(composer, '/Files for Thursday');
  await notices.getByText('/Files is not a valid command').waitFor();
  await typeIn(composer, '/invoice for Thursday');
  await notices.getByText('/invoice is not a valid command').waitFor();
  await expect.poll(() => composer.inputValue()).toBe('/invoice for Thursday');
  await playground.page.stop();
  await typeIn(composer, 'For Thursday');
  await notices.getByText(NO_ANSWER).waitFor();
  await expect.poll(() => composer.inputValue()).toBe('For Thursday');
  await page.getByLabel('Attach files').setInputFiles([PLAN, { ...PLAN, name: 'tides.txt' }]);
  await send(opened);
  await waiting.getByText('tides.txt').waitFor();
  await expect.poll(() => composer.inputValue()).toBe('For Thursday');
  await expect.poll(() => waiting.getByRole('listitem').count()).toBe(2);
  await expect.poll(() => notices.getByText(NO_ANSWER).count()).toBe(1);
  await expect.poll(() => page.getByText('Pigeonhole is running').isVisible()).toBe(false);
  await opened.picture('unsent');

  await startAgain(opened);
  await page.locator('#connection').waitFor({ state: 'hidden' });
  await page.getByText('Pigeonhole is running').waitFor();
  await messages.getByText('linked this channel').waitFor();
  await expect.poll(() => composer.inputValue()).toBe('For Thursday');
  await send(opened);
  await messages.getByText('For Thursday').waitFor();
  await messages
    .getByText('Filed in Website relaunch › All files: berths.txt, tides.txt')
    .waitFor();
  await expect.poll(() => composer.inputValue()).toBe('');
  await waiting.waitFor({ state: 'hidden' });
});

test('an unsent reply stays in its thread, wherever the viewer goes meanwhile', async () => {
  const opened = await openPage();
  const { page, messages, playground } = opened;
  const become = (person: string) => page.getByLabel('You are').selectOption(person);
  const entry = messages.locator('.entry').filter({ hasText: 'So I just share them here?' });
  await entry.hover();
  await entry.getByRole('button', { name: 'Reply' }).click();
  const reply = entry.getByLabel('Reply in the thread');
  await playground.page.stop();
  await reply.fill('Like this one');
  await reply.press('Enter');
  await page.getByText(NO_ANSWER).waitFor();
  await expect.poll(() => reply.inputValue()).toBe('Like this one');
  await entry.getByLabel('Add files to the reply').setInputFiles([PLAN]);
  await entry.getByRole('button', { name: 'Send reply' }).click();
  const attached = entry.getByRole('list', { name: 'Files to share' }).getByText(PLAN.name);
  await attached.waitFor();
  await expect.poll(() => reply.inputValue()).toBe('Like this one');
  await become('Ada (admin)');
  await attached.waitFor({ state: 'hidden' });
  await become('Ben (member)');
  await attached.waitFor();
  await expect.poll(() => reply.inputValue()).toBe('Like this one');
});

test('a failed draft goes back to its author, before what was written meanwhile', async () => {
  const opened = await openPage();
  const { page, composer } = opened;
  const waiting = page.getByRole('list', { name: 'Files to share' });
  const become = (person: string) => page.getByLabel('You are').selectOption(person);
  let refuse = () => {};
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await page.route('**/api/share', async (route) => {
    await refused;
    await route.fulfill({ status: 409, json: { error: 'Slack refused: no_space.' } });
  });
  await composer.fill('For Thursday');
  await page.getByLabel('Attach files').setInputFiles([PLAN]);
  const sharing = page.waitForRequest('**/api/share');
  await send(opened);
  await sharing;
  await composer.fill('And for Friday');
  await become('Ada (admin)');
  await expect.poll(() => composer.inputValue()).toBe('');
  refuse();
  await page.getByText('Slack refused: no_space.').waitFor();
  await expect.poll(() => composer.inputValue()).toBe('');
  await expect.poll(() => waiting.isVisible()).toBe(false);
  await become('Ben (member)');
  await waiting.getByText(PLAN.name).waitFor();
  await expect.poll(() => composer.inputValue()).toBe('For Thursday\nAnd for Friday');
});
