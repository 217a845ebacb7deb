import { pipeline, type Readable, Transform } from 'node:stream';
import FormData from 'form-data';
import { collect, type Deadline, PigeonholeError, unlessAborted } from '../base/index.ts';
import { type Answer, badAnswer, type Operation } from './answer.ts';
import { type CallContext, type CallOptions, withRetries, withSlot } from './call.ts';
import { ServiceError } from './errors.ts';
import type { OutgoingRequest } from './http.ts';
import { parseJson, readFileId } from './json.ts';

export interface UploadSource {
  /** The file name, already safe for a header (see core/names.ts). */
  name: string;
  /** Bytes; checked against the bytes sent. */
  size: number;
  mimetype: string | undefined;
  /** Opens the bytes from their start; called for each attempt. */
  open(signal: AbortSignal): Promise<Readable>;
  /** Called for each chunk with the bytes sent so far. */
  onProgress?: ((sentBytes: number) => void) | undefined;
  /** Called when an attempt has ended: its stream is not read any more. */
  onEnd?: (() => void) | undefined;
}

type Upload = ReturnType<typeof readUpload>;

interface UploadRequest {
  projectId: number;
  source: UploadSource;
  options: CallOptions;
}

export const UPLOAD: Operation = {
  method: 'POST',
  path: '/files/upload.php',
  name: 'POST /files/upload.php',
  // A second attachment does no harm: no folder shows it.
  repeatable: true,
  identifier: 'file_id',
};

/**
 * Returns the client's call that uploads a file (service interface, section 4.4), streaming, with
 * retries. It rejects with the source's error if it cannot be opened, and with
 * SLACK_FILE_UNAVAILABLE or SLACK_FILE_SIZE_MISMATCH if its stream breaks or does not have `size`
 * bytes; the service then never gets a whole request.
 */
export function fileUploader(context: CallContext) {
  return (projectId: number, source: UploadSource, options: CallOptions): Promise<Upload> => {
    const request = { projectId, source, options };
    const call = { operation: UPLOAD, options };
    let asksFirst = false;
    return withRetries(context, call, () =>
      uploadOnce(context, { ...request, asksFirst }).catch((error: unknown) => {
        // The connection broke: the service may have refused the upload before it had all of it.
        const { code, sent } = error instanceof ServiceError ? error : {};
        asksFirst = code === 'SERVICE_UNREACHABLE' && sent === 'unknown';
        throw error;
      }),
    );
  };
}

const SLOW_BYTES_PER_MS = (64 * 1024) / 1000;

/**
 * Returns how long a slot must last for an upload, in milliseconds: the request timeout plus the
 * size at 64 KiB/s. A slot that is shared over Redis lasts no longer, so that one left by a crash
 * returns soon; the others last as long as bytes move, at 2 KiB/s or more.
 */
export function uploadTimeout(requestTimeoutMs: number, size: number): number {
  return Math.ceil(requestTimeoutMs + size / SLOW_BYTES_PER_MS);
}

/** Where all uploads at once share a line of 0.4 Mbit/s. */
const SLOWEST_BYTES_PER_MS = (2 * 1024) / 1000;
/** A longer timer would end at once (https://nodejs.org/api/timers.html). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function uploadOnce(
  context: CallContext,
  { asksFirst, ...request }: UploadRequest & Pick<OutgoingRequest, 'asksFirst'>,
): Promise<Upload> {
  const { source, options } = request;
  const { requestTimeoutMs } = context;
  const timeoutMs = uploadTimeout(requestTimeoutMs, source.size);
  const atSlowestMs = Math.ceil(requestTimeoutMs + source.size / SLOWEST_BYTES_PER_MS);
  const mayTakeMs = Math.min(atSlowestMs, LONGEST_TIMER_MS);
  const call = { operation: UPLOAD, options, timeoutMs, mayTakeMs };
  return withSlot(context, call, async ({ send, deadline }) => {
    const bytes = await openSource(source, deadline.signal);
    const { form, headers, sentBytes, destroy } = createUploadBody(request, bytes, deadline);
    try {
      deadline.watchIdle(requestTimeoutMs);
      const answer = await send({ headers, body: form, asksFirst });
      return readUpload(answer, { size: source.size, sentBytes: sentBytes() });
    } finally {
      destroy();
      source.onEnd?.();
    }
  });
}

// Closes a stream that opens only after the abort.
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
 * Creates the body of an upload: streams the source with backpressure and counts its bytes. Each
 * chunk resets the deadline's idle timeout; a source error or a wrong size aborts the deadline.
 */
function createUploadBody(
  { projectId, source }: UploadRequest,
  bytes: Readable,
  deadline: Deadline,
) {
  const { counter, sentBytes } = createCounter(source, deadline.touch);
  // Aborted before the failed form can end the request, which rejects with the source's error.
  counter.once('error', (error) => deadline.abort(sourceError(error)));
  // Also fails the counter if the source closes before its end. The counter reports all failures.
  pipeline(bytes, counter, () => undefined);
  const form = createForm(projectId, source, counter);
  return {
    form,
    headers: { ...form.getHeaders(), 'Content-Length': contentLength(form) },
    /** Bytes of the file read so far. */
    sentBytes,
    /** Closes the source at any point. */
    destroy: () => {
      bytes.destroy();
      counter.destroy();
    },
  };
}

function createCounter({ size, onProgress }: UploadSource, onMove: () => void) {
  let count = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > size) return done(sizeMismatch(size, `${count} bytes or more came`));
      onMove();
      onProgress?.(count);
      collect(chunk.length);
      done(null, chunk);
    },
    flush(done) {
      if (count < size) return done(sizeMismatch(size, `${count} came`));
      done();
    },
  });
  return { counter, sentBytes: () => count };
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

function createForm(projectId: number, source: UploadSource, bytes: Readable): FormData {
  const { name: filename, size, mimetype = '' } = source;
  const form = new FormData();
  // The counter reports failures; an error event without a listener would end the process.
  form.on('error', () => undefined);
  form.append('project_id', projectId);
  // Prevents header injection through the media type.
  const contentType = MEDIA_TYPE.test(mimetype) ? mimetype : 'application/octet-stream';
  form.append('file', bytes, { filename, contentType, knownLength: size + 1 });
  return form;
}

// form-data treats a known length of 0 as unknown, so createForm declares one byte too many.
const contentLength = (form: FormData) => form.getLengthSync() - 1;

// Any fault of the stream that is not ours means that the download from Slack broke.
function sourceError(error: Error): PigeonholeError {
  if (error instanceof PigeonholeError) return error;
  const message = `The download broke: ${error.message}`;
  return new PigeonholeError('SLACK_FILE_UNAVAILABLE', message, { retry: 'later' });
}

function sizeMismatch(size: number, found: string): PigeonholeError {
  const message = `The file should have ${size} bytes; ${found}.`;
  return new PigeonholeError('SLACK_FILE_SIZE_MISMATCH', message, { retry: 'later' });
}
