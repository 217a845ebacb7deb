import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { rawStatus, startedPage } from './started-page.ts';

const PAGE = new URL('../../../src/playground/page/', import.meta.url);

test('the page, its modules and styles are sent with a strict policy', async () => {
  const page = await startedPage();
  const answer = await page.get('');
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/unsafe|\*|data:/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  const module = await page.get('main.js');
  expect(module.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect((await page.get('styles/base.css')).status).toBe(200);
});

const LOGO = fileURLToPath(new URL('icon.svg', PAGE));

test.each([
  '/../page/main.js',
  '/base/../main.js',
  '/..%2fpage/main.js',
  `/${LOGO}`,
  '/base/',
  '/none.js',
  '/package.json',
])('%s is not served', async (path) => {
  const { page } = await startedPage();
  expect(await rawStatus(page.address, { path })).toBe(404);
});

test('the page has no inline scripts or handlers, and loads nothing from elsewhere', () => {
  const html = readFileSync(new URL('index.html', PAGE), 'utf8');
  expect(html).not.toMatch(/\son\w+=|<script(?![^>]*src)|style=|https?:/);
  const files = readdirSync(PAGE, { recursive: true, encoding: 'utf8' });
  const modules = files.filter((name) => name.endsWith('.js'));
  expect(modules.length).toBeGreaterThan(20);
  for (const name of modules) {
    const source = readFileSync(new URL(name, PAGE), 'utf8');
    expect(source, name).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
    );
  }
});
