import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Random } from '../../base/index.ts';
import { HttpError } from './local-server.ts';

/** Slack's limit for one file, in bytes. */
const LARGEST_FILE = 1024 ** 3;

/** An uploaded file on disk. */
interface UploadedFile {
  name: string;
  mimetype: string;
  path: string;
}

export type UploadStore = ReturnType<typeof createUploadStore>;

/**
 * Stores the files uploaded on the page in `folder`, under random names. Shared ones are found by
 * their Slack file id.
 */
export function createUploadStore(folder: string, random: Random) {
  const received = new Map<string, UploadedFile>();
  const byFileId = new Map<string, UploadedFile>();
  const pending = new Set<Promise<void>>();
  return {
    /** Streams a file to disk and returns its id. Rejects with status 413 above 1 GiB. */
    receive: async ({ name, mimetype }: Omit<UploadedFile, 'path'>, bytes: Readable) => {
      const id = random.id();
      const path = join(folder, id);
      try {
        await pipeline(bytes, limitedTo(LARGEST_FILE), createWriteStream(path));
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      received.set(id, { name, mimetype, path });
      return id;
    },
    /** Returns a received file to be shared, once only: afterwards its id is unknown. */
    take: (id: string): UploadedFile => {
      const file = received.get(id);
      if (!file) throw new HttpError(400, 'That file has not arrived; attach it again.');
      received.delete(id);
      return file;
    },
    /** Records the Slack ids of files, which `sharing` returns in the same order. */
    addShared: (files: readonly UploadedFile[], sharing: Promise<{ fileIds: string[] }>): void => {
      const recording = sharing.then(
        ({ fileIds }) => {
          for (const [index, file] of files.entries()) byFileId.set(fileIds[index] ?? '', file);
        },
        () => undefined,
      );
      pending.add(recording);
      void recording.then(() => pending.delete(recording));
    },
    /** Waits for pending shares: the page shows a message before Slack returns its file ids. */
    findShared: async (fileId: string): Promise<UploadedFile | undefined> => {
      if (!byFileId.has(fileId)) await Promise.all(pending);
      return byFileId.get(fileId);
    },
  };
}

function limitedTo(limit: number): Transform {
  let passed = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      passed += chunk.length;
      if (passed <= limit) done(null, chunk);
      else done(new HttpError(413, 'Slack takes files of up to 1 GB.'));
    },
  });
}
