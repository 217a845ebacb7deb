import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SlackFile } from '../slack-types.ts';
import { type FileDetails, type FileVariant, fileObject, type Place } from './file-object.ts';

export interface StoredFile extends FileDetails {
  /** Where the bytes come from: a path on disk, or a seed that generates them. */
  source: { path: string } | { seed: number };
  /** How often the download was requested. */
  downloads: number;
  deleted: boolean;
}

/** The content of a new file: bytes, a file on disk, or a size and seed to generate it. */
export type FileContent =
  | { bytes: Uint8Array | string }
  | { path: string }
  | { size: number; seed: number };

export interface NewFile {
  name: string;
  mimetype?: string | undefined;
  variant?: FileVariant | undefined;
}

export type FileStore = ReturnType<typeof createFileStore>;

/**
 * Stores all files' bytes and what Slack states of them; the emulator has only their records. Keeps
 * the bytes under `dataDir`/slack-files; they need not outlive the process.
 */
export function createFileStore(dataDir: string, origin: string) {
  const directory = join(dataDir, 'slack-files');
  mkdirSync(directory, { recursive: true });
  const files = new Map<string, StoredFile>();

  const known = (id: string): StoredFile => {
    const file = files.get(id);
    if (!file) throw new Error(`There is no file ${id}`);
    return file;
  };
  const receive = async (id: string, bytes: Readable) => {
    const file = known(id);
    const path = join(directory, id);
    await pipeline(bytes, createWriteStream(path));
    Object.assign(file, { source: { path }, size: (await stat(path)).size });
  };

  return {
    /** Adds a file; `receive` or `fill` then supplies its bytes. They reject for other files. */
    add: (id: string, { name, mimetype, variant = {} }: NewFile): void => {
      const counts = { infos: 0, downloads: 0, deleted: false };
      files.set(id, { id, name, mimetype, size: 0, source: { seed: 0 }, variant, ...counts });
    },
    receive,
    fill: async (id: string, content: FileContent): Promise<void> => {
      if ('bytes' in content) return receive(id, Readable.from([Buffer.from(content.bytes)]));
      if ('path' in content) {
        const { size } = await stat(content.path);
        Object.assign(known(id), { source: { path: content.path }, size });
        return;
      }
      Object.assign(known(id), { source: { seed: content.seed }, size: content.size });
    },
    find: (id: string) => files.get(id),
    open: ({ source, size }: StoredFile): Readable =>
      'path' in source ? createReadStream(source.path) : virtualBytes({ size, seed: source.seed }),
    /** Returns the file object that the app sees, from the emulator's record. */
    describe: (record: SlackFile, place: Place): SlackFile => {
      const file = files.get(record.id);
      return file ? fileObject(record, file, { origin, place }) : record;
    },
    /** Throws if there is no such file. */
    setVariant: (id: string, variant: FileVariant): void => {
      known(id).variant = variant;
    },
  };
}

const BLOCK_BYTES = 1024 * 1024 - 3;
const CHUNK_BYTES = 64 * 1024;

/**
 * Streams content of any size, in bytes, that is generated while it is read; the same seed gives the
 * same bytes. The chunks are views of one shared block, which must not be modified.
 */
export function virtualBytes({ size, seed }: { size: number; seed: number }): Readable {
  const block = blockOf(seed);
  let position = 0;
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      if (position >= size) return void this.push(null);
      const start = position % BLOCK_BYTES;
      const end = Math.min(start + CHUNK_BYTES, BLOCK_BYTES, start + size - position);
      position += end - start;
      this.push(block.subarray(start, end));
    },
  });
}

// Its size is odd, so that losing or repeating a chunk of a power of two shifts what follows.
function blockOf(seed: number): Buffer {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  for (let index = 0; index < BLOCK_BYTES; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block[index] = state & 0xff;
  }
  return block;
}
