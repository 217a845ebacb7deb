import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OUT = new URL('out/', import.meta.url).pathname;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The windows of a desktop and of a phone. */
export const SIZES = [
  ['desktop', 1280, 900],
  ['phone', 390, 844],
] as const;

export interface BrowserOptions {
  width?: number;
  height?: number;
  dark?: boolean;
  /** Dots of the screen for each dot of the page; default: 1. */
  scale?: number;
}

export interface OpenBrowserOptions extends BrowserOptions {
  /** The page's address. */
  address: string;
  /** Stops the page's server, once the browser is closed. */
  stop(): Promise<void>;
}

/** A page in a browser of its own. */
export interface OpenBrowser {
  page: Page;
  /** What went wrong in the page: errors, blocked scripts, requests to other sites. */
  troubles: string[];
  /** Saves a picture of the page in test/browser/out. */
  picture(name: string): Promise<void>;
}

/** Opens a page; browser and server stop with the test. */
export async function openBrowser(options: OpenBrowserOptions): Promise<OpenBrowser> {
  const context = await chromium.launchPersistentContext(temporaryFolder(), {
    executablePath: '/usr/bin/chromium',
    args: FLAGS,
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark ? 'dark' : 'light',
    deviceScaleFactor: options.scale ?? 1,
  });
  onTestFinished(async () => {
    await context.close();
    await options.stop();
  });
  const page = await context.newPage();
  const troubles = watchTroubles(context, page, options.address);
  await page.goto(options.address);
  mkdirSync(OUT, { recursive: true });
  return {
    page,
    troubles,
    picture: async (name) => void (await page.screenshot({ path: join(OUT, `${name}.png`) })),
  };
}

function watchTroubles(context: BrowserContext, page: Page, address: string): string[] {
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(address)) troubles.push(`A request to ${request.url()}`);
  });
  return troubles;
}

const MAX_PRESSES = 150;

/** Presses Tab, or another key, until the control has the focus. */
export async function reach(page: Page, control: Locator, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    if (await control.evaluate((node) => node.matches(':focus'))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${control}`);
}

/** Moves the focus to the control and presses it. */
export async function pressByKey(page: Page, control: Locator, key = 'Tab'): Promise<void> {
  await reach(page, control, key);
  await page.keyboard.press('Enter');
}

/** Whether the lower end of an element is visible: not cut off, and not covered by another. */
export function isSeen(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { left, bottom, width } = node.getBoundingClientRect();
    return node.contains(node.ownerDocument.elementFromPoint(left + width / 2, bottom - 2));
  });
}

/**
 * Where the first element of each selector is, all at one moment: the page draws parts of itself
 * again, and an element found before that has no place any more.
 */
export function boxesOf(page: Page, ...selectors: string[]) {
  return page.evaluate<{ top: number; bottom: number; height: number }[]>(
    `${JSON.stringify(selectors)}.map((one) => document.querySelector(one).getBoundingClientRect().toJSON())`,
  );
}

/**
 * To be evaluated in a page: the elements, including the page itself, that scroll sideways or reach
 * beyond it.
 */
export const SCROLLS_SIDEWAYS = `[...document.querySelectorAll('*')]
  .filter((one) => one.checkVisibility() && !one.closest('.visually-hidden, svg'))
  .filter((one) => {
    const clips = ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) || one === document.documentElement;
    return clips && one.scrollWidth > one.clientWidth + 1;
  })
  .map((one) => one.id || one.className || one.tagName)`;
