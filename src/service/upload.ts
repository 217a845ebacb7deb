import { pipeline, type Readable, Transform } from 'node:stream';
import FormData from 'form-data';
import { type Deadline, PigeonholeError, unlessAborted } from '../base/index.ts';
import { type Answer, badAnswer, type Operation } from './answer.ts';
import { type CallContext, type CallOptions, withRetries, withSlot } from './call.ts';
import { parseJson } from './json.ts';
import { readFileId } from './records.ts';

export interface UploadSource {
  /** The name to file under, already made fit for a header (see transfers/names.ts). */
  name: string;
  /** Bytes; known beforehand, and checked against what was sent. */
  size: number;
  mimetype: string | undefined;
  /** Opens the bytes from their start; called anew for each attempt. */
  open(signal: AbortSignal): Promise<Readable>;
  /** Told now and then how many bytes have gone out. */
  onProgress?: ((sentBytes: number) => void) | undefined;
  /** What was opened is not read any more: the attempt was answered, or it failed. */
  onEnd?: (() => void) | undefined;
}

export type Upload = ReturnType<typeof readUpload>;

interface UploadRequest {
  projectId: number;
  source: UploadSource;
  options: CallOptions;
}

export const UPLOAD: Operation = {
  method: 'POST',
  path: '/files/upload.php',
  name: 'POST /files/upload.php',
  // Another attachment is one that no folder shows.
  repeatable: true,
  identifier: 'file_id',
};

/**
 * Uploads a file (service interface, section 4.4), again where that may help. An error of the source
 * itself comes out as it is.
 */
export function uploadFile(context: CallContext, request: UploadRequest): Promise<Upload> {
  return withRetries({ ...context, ...request.options }, () => uploadOnce(context, request));
}

const SLOWEST_BYTES_PER_MS = (64 * 1024) / 1000;

/** The longest that an upload may take, in milliseconds: time to answer, and 64 KiB a second. */
export function uploadTimeout(requestTimeoutMs: number, size: number): number {
  return Math.ceil(requestTimeoutMs + size / SLOWEST_BYTES_PER_MS);
}

function uploadOnce(context: CallContext, request: UploadRequest): Promise<Upload> {
  const { source, options } = request;
  const { send, requestTimeoutMs } = context;
  const timeoutMs = uploadTimeout(requestTimeoutMs, source.size);
  return withSlot(context, { ...options, name: UPLOAD.name, timeoutMs }, async (slot) => {
    const { deadline } = slot;
    const { signal } = deadline;
    const bytes = await openSource(source, signal);
    const { form, headers, sentBytes, destroy } = createUploadBody(request, bytes, deadline);
    try {
      slot.leave();
      deadline.watchIdle(requestTimeoutMs);
      const answer = await send({ operation: UPLOAD, headers, body: form, signal });
      return readUpload(answer, { size: source.size, sentBytes: sentBytes() });
    } finally {
      destroy();
      source.onEnd?.();
    }
  });
}

// A stream that comes after all has been given up is closed, not left open.
async function openSource(source: UploadSource, signal: AbortSignal): Promise<Readable> {
  signal.throwIfAborted();
  const opening = source.open(signal);
  return unlessAborted(opening, signal).catch((error: unknown) => {
    opening.then((bytes) => bytes.destroy()).catch(() => undefined);
    throw error;
  });
}

function readUpload(answer: Answer, { size, sentBytes }: { size: number; sentBytes: number }) {
  const { serviceTime } = answer;
  const attachmentId = readFileId(parseJson(answer.text));
  if (attachmentId === null) throw badAnswer(answer, 'no file_id');
  if (sentBytes < size) throw badAnswer(answer, 'a file_id before the whole file');
  return { attachmentId, sentBytes, serviceTime };
}

/**
 * The body of an upload: the source passes through, no faster than the connection takes it, counted on
 * the way. The deadline hears of each piece, and ends with the error of the source, or of its length.
 */
function createUploadBody(
  { projectId, source }: UploadRequest,
  bytes: Readable,
  deadline: Deadline,
) {
  const { counter, sentBytes } = createCounter(source, deadline.touch);
  // Listened to here, not by the pipeline's callback: this comes before the failed form can end the
  // request, so that the source's error is known as the reason.
  counter.once('error', (error) => deadline.abort(ownError(error, source.size)));
  pipeline(bytes, counter, () => undefined);
  const form = createForm(projectId, source, counter);
  return {
    form,
    headers: { ...form.getHeaders(), 'Content-Length': contentLength(form) },
    /** Bytes of the file taken so far. */
    sentBytes,
    /** Closes the source, wherever it stands. */
    destroy: () => {
      bytes.destroy();
      counter.destroy();
    },
  };
}

const PROGRESS_STEP = 1024 * 1024;

function createCounter({ size, onProgress }: UploadSource, onMove: () => void) {
  let count = 0;
  let told = 0;
  const tell = () => {
    if (count > told) onProgress?.(count);
    told = count;
  };
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > size) return done(sizeMismatch(size, `${count} bytes or more came`));
      onMove();
      if (count - told >= PROGRESS_STEP) tell();
      done(null, chunk);
    },
    flush(done) {
      if (count < size) return done(sizeMismatch(size, `${count} came`));
      tell();
      done();
    },
  });
  return { counter, sentBytes: () => count };
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

function createForm(projectId: number, source: UploadSource, bytes: Readable): FormData {
  const { name: filename, size, mimetype = '' } = source;
  const form = new FormData();
  // What fails is told through the pipeline; an error event without a listener ends the process.
  form.on('error', () => undefined);
  form.append('project_id', projectId);
  // Nothing but a media type may come into the part's header.
  const contentType = MEDIA_TYPE.test(mimetype) ? mimetype : 'application/octet-stream';
  form.append('file', bytes, { filename, contentType, knownLength: size + 1 });
  return form;
}

// form-data takes a known length of 0 for an unknown one: a byte too many is declared above.
const contentLength = (form: FormData) => form.getLengthSync() - 1;

// A source that closes before its end says nothing of why: it is too short.
function ownError(error: NodeJS.ErrnoException, size: number): unknown {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') return error;
  return sizeMismatch(size, 'the bytes ended early');
}

function sizeMismatch(size: number, found: string): PigeonholeError {
  const message = `The file should have ${size} bytes; ${found}.`;
  return new PigeonholeError('SLACK_FILE_SIZE_MISMATCH', message, { retry: 'later' });
}
