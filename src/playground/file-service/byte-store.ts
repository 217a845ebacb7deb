import { createHash } from 'node:crypto';
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

/** Completely received bytes that belong to no attachment yet. */
export interface ReceivedBytes {
  byteSize: number;
  /** In hexadecimal. */
  sha256: string;
  /** Stores the bytes as this attachment's. */
  keepAs(attachmentId: number): Promise<void>;
  discard(): Promise<void>;
}

/** Stores the bytes of attachments. */
export interface ByteStore {
  /** Stores and hashes a whole stream. Removes partial bytes if it fails or the signal aborts. */
  receive(stream: Readable, signal: AbortSignal): Promise<ReceivedBytes>;
  /** Writes small contents, unless the attachment's bytes exist. */
  place(attachmentId: number, content: Buffer): void;
  /** Returns null if no bytes are stored for the attachment. */
  open(attachmentId: number): Readable | null;
  remove(attachmentId: number): void;
}

// Large, so that one system call writes many waiting chunks.
const WRITE_BUFFER = 2 * 1024 * 1024;

/** Stores bytes under `dataDir`; with `discard`, only counts and hashes what it receives. */
export function openByteStore(dataDir: string, discard: boolean): ByteStore {
  const kept = join(dataDir, 'bytes');
  const incoming = join(dataDir, 'incoming');
  let received = 0;
  // A crash may leave partly received files, which no attachment refers to.
  rmSync(incoming, { recursive: true, force: true });
  for (const folder of [kept, incoming]) mkdirSync(folder, { recursive: true });
  const pathOf = (attachmentId: number) => join(kept, String(attachmentId));

  async function receive(stream: Readable, signal: AbortSignal): Promise<ReceivedBytes> {
    received += 1;
    const path = join(incoming, String(received));
    const remove = () => rm(path, { force: true });
    const target = discard
      ? new Writable({ write: (_chunk, _encoding, done) => done() })
      : createWriteStream(path, { highWaterMark: WRITE_BUFFER });
    try {
      return {
        ...(await hashInto(target, stream, signal)),
        keepAs: async (attachmentId) => {
          if (!discard) await rename(path, pathOf(attachmentId));
        },
        discard: remove,
      };
    } catch (error) {
      await remove();
      throw error;
    }
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

async function hashInto(target: Writable, stream: Readable, signal: AbortSignal) {
  const hash = createHash('sha256');
  let byteSize = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      byteSize += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(stream, counted, target, { signal });
  return { byteSize, sha256: hash.digest('hex') };
}
