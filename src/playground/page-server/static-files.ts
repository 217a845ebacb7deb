import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { PageRefusal } from './refusal.ts';

const PAGE = new URL('../page/', import.meta.url);

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Sends one of the page's own files; `/` is its HTML. */
export async function sendStaticFile(path: string, response: ServerResponse): Promise<void> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const type = TYPES[extname(name)];
  // At most one folder, and no `..`, so that the path cannot leave the page's folder.
  if (!type || !/^(?:[a-z-]+\/)?[a-z-]+\.[a-z]+$/.test(name)) throw notThere();
  const bytes = await readFile(new URL(name, PAGE)).catch(() => {
    throw notThere();
  });
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(bytes);
}

function notThere(): PageRefusal {
  return new PageRefusal(404, 'There is no such page.');
}
