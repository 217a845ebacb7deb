import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { ReceivedBytes } from './byte-store.ts';
import { Refusal } from './refusal.ts';

/** A completely received form. */
export interface MultipartForm {
  fields: Map<string, string>;
  /** Null if the form has no field `file` with a file name. */
  file: { name: string; bytes: ReceivedBytes } | null;
}

/** Stores a file's bytes; must stop and remove them if the signal aborts. */
type Receive = (stream: Readable, signal: AbortSignal) => Promise<ReceivedBytes>;

interface IncomingFile {
  name: string;
  bytes: Promise<ReceivedBytes>;
}

// Large enough that backpressure does not pause a fast sender after every chunk.
const FILE_BUFFER = 1024 * 1024;

/**
 * Reads `multipart/form-data` as it arrives, its parts in any order. Rejects with Refusal if the
 * body is not such a form (415), is malformed (400) or cannot be stored (500), and with another
 * error if the sender disconnects. Removes the file's bytes whenever it rejects.
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
      // Drains the rest of the body, so that the sender goes on to read the response.
      request.unpipe(form);
      request.resume();
      reject(error instanceof Refusal ? error : new Refusal(400, `Broken form: ${error}`));
    });
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('The sender left.'));
    });
    // A sender that disconnected before this point causes no further event.
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

/** Senders escape only these three (HTML, "multipart form data"); a `%41` is part of the name. */
function unescapeName(name: string): string {
  return name.replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n');
}
