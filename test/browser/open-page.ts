import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { ProfileName } from '../../src/playground/file-service/index.ts';
import { type RunningPlayground, startPlayground } from '../../src/playground/start-playground.ts';

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

export interface OpenPageOptions {
  width?: number;
  height?: number;
  dark?: boolean;
  profile?: ProfileName;
}

/** A playground of its own, with its page in a browser. */
export interface OpenPage {
  playground: RunningPlayground;
  page: Page;
  /** What went wrong in the page: errors, refused scripts, requests to elsewhere. */
  troubles: string[];
  composer: Locator;
  messages: Locator;
  service: Locator;
  /** Leaves a picture of the page in test/browser/out. */
  picture(name: string): Promise<void>;
}

/** Starts both; they end with the test. */
export async function openPage(options: OpenPageOptions = {}): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), 'playground-page-'));
  const dataDir = join(folder, 'data');
  const { profile = 'specified' } = options;
  const start = { dataDir, fresh: true, port: 0, profile, logger: silentLogger };
  const playground = await startPlayground(start);
  const context = await chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: '/usr/bin/chromium',
    args: FLAGS,
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark ? 'dark' : 'light',
  });
  onTestFinished(async () => {
    await context.close();
    await playground.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const page = await context.newPage();
  const troubles = watchTroubles(context, page, playground.page.address);
  await page.goto(playground.page.address);
  const messages = page.getByRole('log', { name: 'Messages' });
  await messages.getByText('linked this channel').waitFor();
  mkdirSync(OUT, { recursive: true });
  return {
    playground,
    page,
    troubles,
    composer: page.getByRole('combobox', { name: 'Message #general' }),
    messages,
    service: page.getByRole('region', { name: 'File service' }),
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

/** Attaches files and shares them. */
export async function shareInPage(
  { page }: OpenPage,
  files: { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> {
  await page.getByLabel('Attach files').setInputFiles(files);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}
