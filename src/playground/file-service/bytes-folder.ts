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

/** Bytes that have come in and are not yet an attachment's. */
export interface IncomingBytes {
  byteSize: number;
  /** In hexadecimal. */
  sha256: string;
  /** Keeps the bytes, as those of this attachment. */
  keepAs(attachmentId: number): Promise<void>;
  discard(): Promise<void>;
}

/** Where the bytes of attachments are. */
export interface BytesFolder {
  /** Takes a stream in whole, hashing on the way. What came of a stream that fails is removed. */
  receive(stream: Readable, signal: AbortSignal): Promise<IncomingBytes>;
  /** Puts small contents in place, unless they are there. */
  place(attachmentId: number, content: Buffer): void;
  /** Null when there are no such bytes, or none are kept. */
  open(attachmentId: number): Readable | null;
  remove(attachmentId: number): void;
}

// Chunks that wait for the disk are written together, by one call to the system.
const WRITE_BUFFER = 2 * 1024 * 1024;

interface Tally {
  byteSize: number;
  hash: Hash;
}

/** Keeps bytes on disk under `dataDir`, or, with `discard`, counts and hashes them alone. */
export function openBytesFolder(dataDir: string, discard: boolean): BytesFolder {
  const kept = join(dataDir, 'bytes');
  const incoming = join(dataDir, 'incoming');
  let received = 0;
  // What a crash left half received belongs to nobody.
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
