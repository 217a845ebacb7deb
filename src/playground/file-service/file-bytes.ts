import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { ReceivedBytes } from './byte-store.ts';
import { fileType } from './records.ts';
import type { RequestContext } from './request-context.ts';
import { HttpError, jsonResponse, type ResponseData } from './responses.ts';
import { requireProject } from './validation.ts';

/** A form of which each part is added as it arrives. */
interface IncomingForm {
  fields: Map<string, string>;
  /** Null if the form has no field `file` with a file name. */
  file: { name: string; bytes: Promise<ReceivedBytes> } | null;
}

/**
 * Stores an upload (service interface, section 4.4). Returns 200 with `file_id`, the name and the
 * size. An upload that is refused or aborted leaves nothing behind.
 */
export async function uploadFile(context: RequestContext): Promise<ResponseData> {
  const { person, request, store } = context;
  const form: IncomingForm = { fields: new Map(), file: null };
  const failed = new AbortController();
  try {
    await receiveForm(request, form, (stream) => store.receive(stream, failed.signal));
    if (!form.file) throw new HttpError(400, 'The field "file" is missing.');
    const { name } = form.file;
    const bytes = await form.file.bytes;
    const { id: projectId } = requireProject(context, readProjectId(form));
    const upload = { projectId, uploaderId: person.id, name, bytes };
    const { id, byteSize } = await store.addAttachment(upload);
    return jsonResponse(200, { file_id: id, name, byte_size: byteSize });
  } catch (error) {
    failed.abort(error);
    const bytes = await form.file?.bytes.catch(() => null);
    await bytes?.discard();
    throw error;
  }
}

function readProjectId({ fields }: IncomingForm): number {
  const text = fields.get('project_id');
  if (text === undefined) throw new HttpError(400, 'The field "project_id" is missing.');
  if (!/^[1-9][0-9]{0,14}$/.test(text)) {
    throw new HttpError(400, 'The field "project_id" must be an integer.');
  }
  return Number(text);
}

/** Returns a file's bytes: its record's `url` leads here. Not in the specified interface. */
export function downloadFile(context: RequestContext): ResponseData {
  const { ids, store } = context;
  const file = store.file(ids.fileId);
  if (!file) throw new HttpError(404, 'There is no such file.');
  requireProject(context, file.projectId);
  const body = store.openFile(file.id);
  if (!body) throw new HttpError(404, 'The bytes of this file are not kept.');
  const headers = {
    'Content-Type': fileType(file.name),
    'Content-Length': file.byteSize,
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
  };
  return { status: 200, headers, body };
}

// Large enough that backpressure does not pause a fast sender after every chunk.
const FILE_BUFFER = 1024 * 1024;

/**
 * Reads `multipart/form-data` as it arrives, its parts in any order. Rejects with HttpError if the
 * body is not such a form (415), is malformed (400) or cannot be stored (500), and with another
 * error if the sender disconnects.
 */
async function receiveForm(
  request: IncomingMessage,
  form: IncomingForm,
  receive: (stream: Readable) => Promise<ReceivedBytes>,
): Promise<void> {
  const parser = createParser(request);
  parser.on('field', (name, value) => form.fields.set(name, value));
  parser.on('file', (field, stream, name) => {
    if (field !== 'file' || name === '' || form.file) return void stream.resume();
    const bytes = receive(stream);
    bytes.catch((error) =>
      parser.emit('error', new HttpError(500, `Cannot keep the file: ${error}`)),
    );
    form.file = { name: unescapeName(name), bytes };
  });
  await pipeInto(parser, request);
}

function createParser(request: IncomingMessage): BusboyInstance {
  const { headers } = request;
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    throw new HttpError(415, 'An upload is multipart/form-data.');
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      fileHwm: FILE_BUFFER,
      preservePath: true,
      isPartAFile: (_field, _type, name) => name !== undefined,
    });
  } catch {
    throw new HttpError(415, 'The form names no boundary.');
  }
}

function pipeInto(parser: BusboyInstance, request: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.once('finish', resolve);
    parser.on('error', (error) => {
      // Drains the rest of the body, so that the sender goes on to read the response.
      request.unpipe(parser);
      request.resume();
      reject(error instanceof HttpError ? error : new HttpError(400, `Broken form: ${error}`));
    });
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('The sender left.'));
    });
    // A sender that disconnected before this point causes no further event.
    if (request.destroyed) reject(new Error('The sender left.'));
    request.pipe(parser);
  });
}

/** Senders escape only these three (HTML, "multipart form data"); a `%41` is part of the name. */
function unescapeName(name: string): string {
  return name.replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n');
}
