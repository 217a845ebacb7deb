import { pipeline, type Readable, Transform } from 'node:stream';
import FormData from 'form-data';
import { PigeonholeError } from '../base/index.ts';

/** What is told of a file beforehand. */
export interface UploadFile {
  /** The name to file under, already made fit for a header (see transfers/file-name.ts). */
  name: string;
  /** Bytes; known beforehand, and checked against what was sent. */
  size: number;
  mimetype: string | undefined;
  /** Told now and then how many bytes have gone out. */
  onProgress?: ((sentBytes: number) => void) | undefined;
}

export interface UploadBodyOptions {
  projectId: number;
  source: UploadFile;
  /** The opened source. */
  bytes: Readable;
  /** Bytes were taken. */
  onMove(): void;
  /** The source failed, with its own error, or SLACK_FILE_SIZE_MISMATCH; told once at most. */
  onFailure(error: unknown): void;
}

export interface UploadBody {
  form: FormData;
  headers: Record<string, string | number>;
  /** Bytes of the file. */
  size: number;
  /** Bytes of the file taken so far. */
  sentBytes(): number;
  /** Closes the source, wherever it stands. */
  destroy(): void;
}

/**
 * The body of an upload (service interface, section 4.4): the source passes through, no faster
 * than the connection takes it, counted on the way.
 */
export function createUploadBody({
  projectId,
  source,
  bytes,
  onMove,
  onFailure,
}: UploadBodyOptions): UploadBody {
  let sentBytes = 0;
  let destroyed = false;
  const counter = createCounter(source, (count) => {
    sentBytes = count;
    onMove();
  });
  // Listened to here, not by the pipeline's callback: this comes before the failed form can end the
  // request, so that the source's error is known as the reason.
  counter.once('error', (error) => {
    if (!destroyed) onFailure(ownError(error, source.size));
  });
  pipeline(bytes, counter, () => undefined);
  const form = createForm(projectId, source, counter);
  return {
    form,
    headers: { ...form.getHeaders(), 'Content-Length': contentLength(form) },
    size: source.size,
    sentBytes: () => sentBytes,
    destroy: () => {
      destroyed = true;
      bytes.destroy();
      counter.destroy();
    },
  };
}

const PROGRESS_STEP = 1024 * 1024;

function createCounter(
  { size, onProgress }: UploadFile,
  onCount: (bytes: number) => void,
): Transform {
  let count = 0;
  let told = 0;
  const tell = () => {
    if (count > told) onProgress?.(count);
    told = count;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > size) return done(sizeMismatch(size, `${count} bytes or more came`));
      onCount(count);
      if (count - told >= PROGRESS_STEP) tell();
      done(null, chunk);
    },
    flush(done) {
      if (count < size) return done(sizeMismatch(size, `${count} came`));
      tell();
      done();
    },
  });
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

function createForm(projectId: number, source: UploadFile, bytes: Readable): FormData {
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

// form-data takes a known length of 0 for an unknown one: a byte too many is declared above, and
// taken back here.
function contentLength(form: FormData): number {
  return form.getLengthSync() - 1;
}

// A source that closes before its end says nothing of why: it is too short.
function ownError(error: NodeJS.ErrnoException, size: number): unknown {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') return error;
  return sizeMismatch(size, 'the bytes ended early');
}

function sizeMismatch(size: number, found: string): PigeonholeError {
  const message = `The file should have ${size} bytes; ${found}.`;
  return new PigeonholeError('SLACK_FILE_SIZE_MISMATCH', message);
}
