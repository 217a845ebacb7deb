import { createReadStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileService } from '../file-service/index.ts';
import { PageRefusal } from './refusal.ts';
import type { UploadShelf } from './upload-shelf.ts';

/** Pictures that a browser draws without running anything in them. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** Sends the bytes of a file that the service holds, to be saved. */
export async function sendServiceFile(
  { store }: FileService,
  fileId: number,
  response: ServerResponse,
): Promise<void> {
  const file = store.file(fileId);
  const bytes = file && store.openFile(fileId);
  if (!file || !bytes) throw new PageRefusal(404, 'There is no such file in the service.');
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.byteSize,
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(file.name)}`,
  });
  await send(bytes, response);
}

/** Sends a shared picture for display. Rejects with a 404 refusal if it is not a known picture. */
export async function sendPicture(
  shelf: UploadShelf,
  fileId: string,
  response: ServerResponse,
): Promise<void> {
  const file = await shelf.findShared(fileId);
  if (!file || !PICTURES.has(file.mimetype))
    throw new PageRefusal(404, 'There is no such picture.');
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
