import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { type Download, SlackFileError } from '../slack/index.ts';
import type { SharedFile, WholeDownloads } from '../transfers/index.ts';

/*
 * Slack states a file's size before it is done with it: it strips pictures, for example, of where they
 * were taken. Whole downloads that are equal, some time apart, are the file, whatever size is stated.
 */

/** So many equal downloads are the file; the last of them is sent on. */
const EQUAL_DOWNLOADS = 3;

/** Returns what the next download must bring to be the file; null if its stated size decides. */
export function expectedDownload({ whole }: SharedFile): WholeDownloads | null {
  return whole && whole.times >= EQUAL_DOWNLOADS - 1 ? whole : null;
}

/**
 * Reads a download without keeping it; returns how often in a row one came whole and equal, this one
 * included. Rejects with the stream's error, or if it ends early.
 */
export async function readWhole(
  { id, whole: before }: SharedFile,
  { stream, size }: Download,
): Promise<WholeDownloads> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  if (bytes !== size) throw mismatch(id, `${bytes} bytes came, not ${size}`);
  const sha256 = hash.digest('hex');
  const isEqual = before?.bytes === bytes && before.sha256 === sha256;
  return { bytes, sha256, times: isEqual ? before.times + 1 : 1 };
}

/** Returns the bytes of a download; fails at their end, unless they are those expected. */
export function verified(
  { id }: SharedFile,
  { stream, expected }: { stream: Readable; expected: WholeDownloads },
): Readable {
  const hash = createHash('sha256');
  const checked = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
    flush: (done) => {
      const isEqual = hash.digest('hex') === expected.sha256;
      done(isEqual ? null : mismatch(id, 'other bytes came than before'));
    },
  });
  return pipeline(stream, checked, () => undefined);
}

function mismatch(id: string, why: string): SlackFileError {
  return new SlackFileError('SLACK_FILE_SIZE_MISMATCH', `${id}: ${why}`);
}
