import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
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

export interface BrowserOptions {
  width?: number;
  height?: number;
  dark?: boolean;
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
