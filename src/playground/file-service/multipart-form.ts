import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { IncomingBytes } from './bytes-folder.ts';
import { Refusal } from './refusal.ts';

/** A form with one file, received whole. */
export interface MultipartForm {
  fields: Map<string, string>;
  /** Null when the form has no field `file` with a file name. */
  file: { name: string; bytes: IncomingBytes } | null;
}

/** Takes a file's bytes in; must let go of them when the signal aborts. */
export type Receive = (stream: Readable, signal: AbortSignal) => Promise<IncomingBytes>;

interface IncomingFile {
  name: string;
  bytes: Promise<IncomingBytes>;
}

// Large enough that a fast sender is not stopped after every chunk.
const FILE_BUFFER = 1024 * 1024;

/**
 * Reads `multipart/form-data` as it arrives, its parts in any order. Rejects with Refusal when the
 * body is no such form (415), a broken one (400) or cannot be kept (500), with the connection's error
 * when the sender leaves; in all cases nothing of the file is left.
 */
export async function readMultipartForm(
  request: IncomingMessage,
  receive: Receive,
): Promise<MultipartForm> {
  const form = openForm(request);
  const fields = new Map<string, string>();
  const leaving = new AbortController();
  let file: IncomingFile | null = null;
  form.on('field', (name, value) => fields.set(name, value));
  form.on('file', (field, stream, name) => {
    if (field !== 'file' || name === '' || file) return void stream.resume();
    const bytes = receive(stream, leaving.signal);
    bytes.catch((error) => form.emit('error', new Refusal(500, `Cannot keep the file: ${error}`)));
    file = { name: unescapeName(name), bytes };
  });
  try {
    await pour(request, form);
    return { fields, file: await settle(file) };
  } catch (error) {
    leaving.abort(error);
    await drop(file);
    throw error;
  }
}

function openForm(request: IncomingMessage): BusboyInstance {
  const { headers } = request;
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    throw new Refusal(415, 'An upload is multipart/form-data.');
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      fileHwm: FILE_BUFFER,
      preservePath: true,
      isPartAFile: (_field, _type, name) => name !== undefined,
    });
  } catch {
    throw new Refusal(415, 'The form names no boundary.');
  }
}

function pour(request: IncomingMessage, form: BusboyInstance): Promise<void> {
  return new Promise((resolve, reject) => {
    form.once('finish', resolve);
    form.on('error', (error) => {
      // The rest is read and forgotten, so that the sender gets to read the answer.
      request.unpipe(form);
      request.resume();
      reject(error instanceof Refusal ? error : new Refusal(400, `Broken form: ${error}`));
    });
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('The sender left.'));
    });
    // Who left before the reading began is not announced again.
    if (request.destroyed) reject(new Error('The sender left.'));
    request.pipe(form);
  });
}

async function settle(file: IncomingFile | null): Promise<MultipartForm['file']> {
  return file && { name: file.name, bytes: await file.bytes };
}

async function drop(file: IncomingFile | null): Promise<void> {
  await file?.bytes.then(
    (bytes) => bytes.discard(),
    () => undefined,
  );
}

/** Senders escape these three alone (HTML, "multipart form data"); a `%41` is part of the name. */
function unescapeName(name: string): string {
  return name.replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n');
}
