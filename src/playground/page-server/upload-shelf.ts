import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Random } from '../../base/index.ts';
import { PageRefusal } from './refusal.ts';

/** What Slack takes at most, in bytes. */
const LARGEST_FILE = 1024 ** 3;

/** A file that a visitor has brought, on disk. */
export interface ShelvedFile {
  name: string;
  mimetype: string;
  path: string;
}

/** Files that visitors have brought; those that were shared are found by Slack's identifier. */
export interface UploadShelf {
  /** Streams a file to disk; answers what to call it by. Refuses what is over 1 GiB. */
  receive(file: { name: string; mimetype: string }, bytes: Readable): Promise<string>;
  /** Takes a file that was received, to share it. */
  take(id: string): ShelvedFile;
  /** Remembers files by the identifiers that Slack gives them, in the same order. */
  shared(files: readonly ShelvedFile[], sharing: Promise<{ fileIds: string[] }>): void;
  /** Waits for what is being shared: its message is seen before its identifiers are told. */
  findShared(fileId: string): Promise<ShelvedFile | undefined>;
}

/** Keeps the files under `folder`, under names of its own. */
export function createUploadShelf(folder: string, random: Random): UploadShelf {
  const received = new Map<string, ShelvedFile>();
  const byFileId = new Map<string, ShelvedFile>();
  const underWay = new Set<Promise<void>>();
  return {
    receive: async ({ name, mimetype }, bytes) => {
      const id = random.id();
      const path = join(folder, id);
      try {
        await pipeline(bytes, atMost(LARGEST_FILE), createWriteStream(path));
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      received.set(id, { name, mimetype, path });
      return id;
    },
    take: (id) => {
      const file = received.get(id);
      if (!file) throw new PageRefusal(400, 'That file has not arrived; attach it again.');
      received.delete(id);
      return file;
    },
    shared: (files, sharing) => {
      const known = sharing.then(
        ({ fileIds }) => {
          for (const [index, file] of files.entries()) byFileId.set(fileIds[index] ?? '', file);
        },
        () => undefined,
      );
      underWay.add(known);
      void known.then(() => underWay.delete(known));
    },
    findShared: async (fileId) => {
      if (!byFileId.has(fileId)) await Promise.all(underWay);
      return byFileId.get(fileId);
    },
  };
}

function atMost(limit: number): Transform {
  let passed = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      passed += chunk.length;
      if (passed <= limit) done(null, chunk);
      else done(new PageRefusal(413, 'Slack takes files of up to 1 GB.'));
    },
  });
}
