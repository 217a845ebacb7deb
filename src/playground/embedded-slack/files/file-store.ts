import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileOddity } from './file-oddity.ts';
import { virtualBytes } from './virtual-bytes.ts';

/** Where a file's bytes come from: a path on disk, or a seed that generates them. */
export type FileSource = { path: string } | { seed: number };

export interface StoredFile {
  id: string;
  name: string;
  mimetype: string | undefined;
  /** Bytes. */
  size: number;
  source: FileSource;
  oddity: FileOddity;
  /** How often `files.info` and the download were requested. */
  infos: number;
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
  oddity?: FileOddity | undefined;
}

/** Stores all files' bytes and what Slack states of them; the emulator has only their records. */
export interface FileStore {
  /** Registers a file; `receive` or `fill` then supplies its bytes. They reject for other files. */
  announce(id: string, file: NewFile): void;
  receive(id: string, bytes: Readable): Promise<void>;
  fill(id: string, content: FileContent): Promise<void>;
  find(id: string): StoredFile | undefined;
  open(file: StoredFile): Readable;
}

/** Keeps bytes under `dataDir`/slack-files; they need not outlive the process. */
export function createFileStore(dataDir: string): FileStore {
  const directory = join(dataDir, 'slack-files');
  mkdirSync(directory, { recursive: true });
  const files = new Map<string, StoredFile>();

  const known = (id: string): StoredFile => {
    const file = files.get(id);
    if (!file) throw new Error(`No upload ${id} was announced`);
    return file;
  };
  const receive = async (id: string, bytes: Readable) => {
    const file = known(id);
    const path = join(directory, id);
    await pipeline(bytes, createWriteStream(path));
    Object.assign(file, { source: { path }, size: (await stat(path)).size });
  };

  return {
    announce: (id, { name, mimetype, oddity = {} }) => {
      const source = { seed: 0 };
      const counts = { infos: 0, downloads: 0, deleted: false };
      files.set(id, { id, name, mimetype, size: 0, source, oddity, ...counts });
    },
    receive,
    fill: async (id, content) => {
      if ('bytes' in content) return receive(id, Readable.from([Buffer.from(content.bytes)]));
      if ('path' in content) {
        const { size } = await stat(content.path);
        Object.assign(known(id), { source: { path: content.path }, size });
        return;
      }
      Object.assign(known(id), { source: { seed: content.seed }, size: content.size });
    },
    find: (id) => files.get(id),
    open: ({ source, size }) =>
      'path' in source ? createReadStream(source.path) : virtualBytes({ size, seed: source.seed }),
  };
}
