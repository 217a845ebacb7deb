import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileService } from '../file-service/index.ts';
import { HttpError } from './local-server.ts';
import type { UploadStore } from './upload-store.ts';

const PAGE = new URL('../page/', import.meta.url);

const PAGE_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Sends one of the page's own files; `/` is its HTML. */
export async function sendPageFile(path: string, response: ServerResponse): Promise<void> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const type = PAGE_TYPES[extname(name)];
  const notFound = new HttpError(404, 'There is no such page.');
  // At most one folder, and no `..`, so that the path cannot leave the page's folder.
  if (!type || !/^(?:[a-z-]+\/)?[a-z-]+\.[a-z]+$/.test(name)) throw notFound;
  const bytes = await readFile(new URL(name, PAGE)).catch(() => Promise.reject(notFound));
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(bytes);
}

/** Sends the bytes of a file that the service holds, to be saved. */
export async function sendServiceFile(
  { store }: FileService,
  fileId: number,
  response: ServerResponse,
): Promise<void> {
  const file = store.file(fileId);
  const bytes = file && store.openFile(fileId);
  if (!file || !bytes) throw new HttpError(404, 'There is no such file in the service.');
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.byteSize,
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(file.name)}`,
  });
  await send(bytes, response);
}

/** The types of pictures that a browser draws without running anything in them. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** Sends a shared picture for display. Rejects with status 404 if it is not a known picture. */
export async function sendPicture(
  uploads: UploadStore,
  fileId: string,
  response: ServerResponse,
): Promise<void> {
  const file = await uploads.findShared(fileId);
  if (!file || !PICTURES.has(file.mimetype)) throw new HttpError(404, 'There is no such picture.');
  response.writeHead(200, { 'content-type': file.mimetype });
  await send(createReadStream(file.path), response);
}

async function send(bytes: Readable, response: ServerResponse): Promise<void> {
  // A page that disconnects during the download is not an error.
  await pipeline(bytes, response).catch(() => response.destroy());
}

// RFC 8187 allows fewer characters than encodeURIComponent leaves; lone surrogates have no bytes.
function encodeName(name: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, hex);
}
