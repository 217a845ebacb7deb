import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { silentLogger } from '../../src/base/index.ts';
import type { ProfileName } from '../../src/playground/file-service/index.ts';
import { type RunningPlayground, startPlayground } from '../../src/playground/start-playground.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type BrowserOptions, type OpenBrowser, openBrowser } from './browser.ts';

export interface OpenPageOptions extends BrowserOptions {
  profile?: ProfileName;
}

/** A playground of its own, with its page in a browser. */
export interface OpenPage extends OpenBrowser {
  playground: RunningPlayground;
  composer: Locator;
  messages: Locator;
  service: Locator;
}

/** Starts both; they stop with the test. */
export async function openPage(options: OpenPageOptions = {}): Promise<OpenPage> {
  const dataDir = join(temporaryFolder(), 'data');
  const { profile = 'specified' } = options;
  const start = { dataDir, fresh: true, port: 0, profile, logger: silentLogger };
  const playground = await startPlayground(start);
  const browser = await openBrowser({
    ...options,
    address: playground.page.address,
    stop: () => playground.stop(),
  });
  const { page } = browser;
  const messages = page.getByRole('log', { name: 'Messages' });
  await messages.getByText('linked this channel').waitFor();
  return {
    ...browser,
    playground,
    composer: page.getByRole('combobox', { name: 'Message #general' }),
    messages,
    service: page.getByRole('region', { name: 'File service' }),
  };
}

/** Returns a text file to attach, whose content is its name. */
export function textFile(name: string) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(name) };
}

/** Attaches files and shares them. */
export async function shareInPage(
  { page }: OpenPage,
  files: { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> {
  await page.getByLabel('Attach files').setInputFiles(files);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/** Locates a message that only its reader can see. */
export const privateMessage = ({ messages }: OpenPage, words: string | RegExp) =>
  messages.locator('.message-private').filter({ hasText: words });

/** Goes to a channel with the keyboard only; resolves with its composer. */
export async function goTo({ page }: OpenPage, channel: string): Promise<Locator> {
  await page.getByRole('button', { name: channel, exact: true }).press('Enter');
  const composer = page.getByRole('combobox', { name: `Message #${channel}` });
  await composer.waitFor();
  return composer;
}

/** Types a command and sends it. */
export async function typeIn(composer: Locator, command: string): Promise<void> {
  await composer.fill(command);
  await composer.press('Enter');
}
