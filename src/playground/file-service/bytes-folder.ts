import { createHash, type Hash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Received bytes that belong to no attachment yet. */
export interface IncomingBytes {
  byteSize: number;
  /** In hexadecimal. */
  sha256: string;
  /** Stores the bytes as this attachment's. */
  keepAs(attachmentId: number): Promise<void>;
  discard(): Promise<void>;
}

/** Stores the bytes of attachments. */
export interface BytesFolder {
  /** Stores and hashes a whole stream. Removes partial bytes if it fails or the signal aborts. */
  receive(stream: Readable, signal: AbortSignal): Promise<IncomingBytes>;
  /** Writes small contents, unless the attachment's bytes exist. */
  place(attachmentId: number, content: Buffer): void;
  /** Returns null if no bytes are stored for the attachment. */
  open(attachmentId: number): Readable | null;
  remove(attachmentId: number): void;
}

// Large, so that one system call writes many waiting chunks.
const WRITE_BUFFER = 2 * 1024 * 1024;

interface Tally {
  byteSize: number;
  hash: Hash;
}

/** Stores bytes under `dataDir`; with `discard`, only counts and hashes what it receives. */
export function openBytesFolder(dataDir: string, discard: boolean): BytesFolder {
  const kept = join(dataDir, 'bytes');
  const incoming = join(dataDir, 'incoming');
  let received = 0;
  // A crash may leave partly received files, which no attachment refers to.
  rmSync(incoming, { recursive: true, force: true });
  for (const folder of [kept, incoming]) mkdirSync(folder, { recursive: true });
  const pathOf = (attachmentId: number) => join(kept, String(attachmentId));

  async function receive(stream: Readable, signal: AbortSignal): Promise<IncomingBytes> {
    received += 1;
    const path = join(incoming, String(received));
    const tally = { byteSize: 0, hash: createHash('sha256') };
    const drop = () => rm(path, { force: true });
    try {
      await (discard ? pour(stream, tally, signal) : write(stream, tally, { path, signal }));
    } catch (error) {
      await drop();
      throw error;
    }
    return {
      byteSize: tally.byteSize,
      sha256: tally.hash.digest('hex'),
      keepAs: (attachmentId) => (discard ? Promise.resolve() : rename(path, pathOf(attachmentId))),
      discard: drop,
    };
  }

  return {
    receive,
    place: (attachmentId, content) => {
      if (!existsSync(pathOf(attachmentId))) writeFileSync(pathOf(attachmentId), content);
    },
    open: (attachmentId) =>
      existsSync(pathOf(attachmentId)) ? createReadStream(pathOf(attachmentId)) : null,
    remove: (attachmentId) => rmSync(pathOf(attachmentId), { force: true }),
  };
}

function count(tally: Tally, chunk: Buffer): void {
  tally.byteSize += chunk.length;
  tally.hash.update(chunk);
}

async function write(
  stream: Readable,
  tally: Tally,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<void> {
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      count(tally, chunk);
      done(null, chunk);
    },
  });
  const file = createWriteStream(path, { highWaterMark: WRITE_BUFFER });
  await pipeline(stream, counted, file, { signal });
}

async function pour(stream: Readable, tally: Tally, signal: AbortSignal): Promise<void> {
  const counter = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      count(tally, chunk);
      done();
    },
  });
  await pipeline(stream, counter, { signal });
}
