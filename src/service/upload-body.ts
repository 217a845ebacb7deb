import { pipeline, type Readable, Transform } from 'node:stream';
import FormData from 'form-data';
import { PigeonholeError } from '../base/index.ts';
import type { UploadSource } from './client.ts';

const PROGRESS_STEP = 1024 * 1024;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

export interface UploadBodyOptions {
  projectId: number;
  source: UploadSource;
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
  /** Bytes of the file taken so far. */
  sentBytes(): number;
  /** Closes the source, wherever it stands. */
  destroy(): void;
}

/**
 * The body of an upload (service interface, section 4.4): the source passes through, no faster
 * than the connection takes it, counted on the way.
 */
export function createUploadBody(options: UploadBodyOptions): UploadBody {
  const { source, bytes } = options;
  let sentBytes = 0;
  let destroyed = false;
  const counter = createCounter(source, (count) => {
    sentBytes = count;
    options.onMove();
  });
  // Listened to here, not by the pipeline's callback: this comes before the failed form can end the
  // request, so that the source's error is known as the reason.
  counter.once('error', (error) => {
    if (!destroyed) options.onFailure(ownError(error, source.size));
  });
  pipeline(bytes, counter, () => undefined);
  const form = createForm(options.projectId, source, counter);
  return {
    form,
    headers: { ...form.getHeaders(), 'Content-Length': contentLength(form) },
    sentBytes: () => sentBytes,
    destroy: () => {
      destroyed = true;
      bytes.destroy();
      counter.destroy();
    },
  };
}

function createCounter(source: UploadSource, onCount: (bytes: number) => void): Transform {
  let count = 0;
  let told = 0;
  const tell = () => {
    if (count === told) return;
    told = count;
    source.onProgress?.(count);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > source.size)
        return done(sizeMismatch(source.size, `${count} bytes or more came`));
      onCount(count);
      if (count - told >= PROGRESS_STEP) tell();
      done(null, chunk);
    },
    flush(done) {
      if (count < source.size) return done(sizeMismatch(source.size, `${count} came`));
      tell();
      done();
    },
  });
}

function createForm(projectId: number, source: UploadSource, bytes: Readable): FormData {
  const form = new FormData();
  // What fails is told through the pipeline; an error event without a listener ends the process.
  form.on('error', () => undefined);
  form.append('project_id', projectId);
  form.append('file', bytes, {
    filename: source.name,
    contentType: mediaType(source.mimetype),
    knownLength: source.size + 1,
  });
  return form;
}

// Nothing but a media type may come into the part's header.
function mediaType(mimetype: string | undefined): string {
  return mimetype && MEDIA_TYPE.test(mimetype) ? mimetype : 'application/octet-stream';
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
  return new PigeonholeError(
    'SLACK_FILE_SIZE_MISMATCH',
    `The file should have ${size} bytes; ${found}.`,
  );
}
