import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { ProfileName } from '../../src/playground/file-service/index.ts';
import { type RunningPlayground, startPlayground } from '../../src/playground/start-playground.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type BrowserOptions, isSeen, type OpenBrowser, openBrowser, reach } from './browser.ts';

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

/** Makes the service, or Slack, fail or work again; once it does, shows the files again. */
export async function make(
  { page }: OpenPage,
  whom: 'the service' | 'Slack',
  what: string,
): Promise<void> {
  await page.getByRole('tab', { name: 'Faults' }).click();
  await page.getByLabel(`Make ${whom}`).selectOption(what);
  const name = what === 'work' ? 'Faults' : 'Faults (on)';
  await page.getByRole('tab', { name, exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();
}

/** Moves the focus by keys alone from the message box to a control in one of the messages. */
export async function reachInMessages(
  { page, messages }: OpenPage,
  control: Locator,
): Promise<void> {
  await page.getByRole('combobox', { name: /^Message/ }).focus();
  const entries = messages.locator('.entry');
  await reach(page, entries.last(), 'Shift+Tab');
  const isWithin = () =>
    control.evaluate((node) => node.closest('.entry')?.matches(':focus-within'));
  for (let n = await entries.count(); n > 0 && !(await isWithin()); n -= 1)
    await page.keyboard.press('ArrowUp');
  await reach(page, control);
}

/** Moves the focus as `reachInMessages` does, and presses the control. */
export async function pressInMessages(opened: OpenPage, control: Locator): Promise<void> {
  await reachInMessages(opened, control);
  await opened.page.keyboard.press('Enter');
}

/** Locates the button of the menu beside a listed file. */
export const menuOf = (list: Locator, file: string) =>
  list
    .locator(`.rich-text:has(a:text-is("${file}")) + .block-section`)
    .getByRole('button', { name: 'More actions' });

/** Chooses of a listed file's menu with the keyboard only, like `Delete`; the name follows. */
export async function chooseOf(
  opened: OpenPage,
  list: Locator,
  [verb, file]: readonly [verb: string, file: string],
): Promise<void> {
  await pressInMessages(opened, menuOf(list, file));
  const choice = list.getByRole('menuitem', { name: `${verb} ${file}` });
  await reach(opened.page, choice, 'ArrowDown');
  await expect.poll(() => isSeen(choice)).toBe(true);
  await opened.page.keyboard.press('Enter');
}

/** Chooses one of the suggestions of the field that has the focus, with the arrow keys. */
export async function pickByKey(page: Page, suggestion: Locator): Promise<void> {
  await suggestion.waitFor();
  for (let n = await page.getByRole('option').count(); n > 0; n -= 1) {
    if ((await suggestion.getAttribute('aria-selected')) === 'true') break;
    await page.keyboard.press('ArrowDown');
  }
  await expect.poll(() => isSeen(suggestion)).toBe(true);
  await page.keyboard.press('Enter');
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
