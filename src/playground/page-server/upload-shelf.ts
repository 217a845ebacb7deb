import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Random } from '../../base/index.ts';
import { PageRefusal } from './refusal.ts';

/** Slack's limit for one file, in bytes. */
const LARGEST_FILE = 1024 ** 3;

/** An uploaded file on disk. */
interface ShelvedFile {
  name: string;
  mimetype: string;
  path: string;
}

/** The files uploaded on the page. Shared ones are found by their Slack file id. */
export interface UploadShelf {
  /** Streams a file to disk and returns its id. Rejects with a 413 refusal above 1 GiB. */
  receive(file: { name: string; mimetype: string }, bytes: Readable): Promise<string>;
  /** Removes a received file from the waiting ones and returns it, to be shared. */
  take(id: string): ShelvedFile;
  /** Stores files under their Slack file ids, which `sharing` returns in the same order. */
  shared(files: readonly ShelvedFile[], sharing: Promise<{ fileIds: string[] }>): void;
  /** Waits for pending shares: the page shows a message before Slack returns its file ids. */
  findShared(fileId: string): Promise<ShelvedFile | undefined>;
}

/** Stores the files in `folder` under random names. */
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
