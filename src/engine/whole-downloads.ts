import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { Clock } from '../base/index.ts';
import { EARLY_MS, type SharedFile, type WholeDownloads } from '../core/index.ts';
import { type Download, SlackFileError } from '../slack/index.ts';

/*
 * Slack states a file's size before it is done with it: it strips pictures, for example, of where they
 * were taken. Whole downloads that are equal, some minutes apart, are the file, whatever size is stated.
 * Sooner they may be what has come of it so far. Web pages are never the file: they may be a gateway's.
 */

/** So many equal downloads are the file; the last of them is sent on. */
const EQUAL_DOWNLOADS = 3;

/** Returns what a download must bring now to be the file; null if its stated size decides. */
export function expectedDownload({ whole }: SharedFile, now: number): WholeDownloads | null {
  if (!whole || whole.times < EQUAL_DOWNLOADS - 1) return null;
  return now - whole.since >= EARLY_MS ? whole : null;
}

/**
 * Reads a download without keeping it; returns how often in a row one came whole and equal, this one
 * included; null for a web page. Calls `onChunk` as bytes come. Rejects with the stream's error, or if it ends early.
 */
export async function readWhole(
  { id, whole: before }: SharedFile,
  { stream, size, isPage }: Download,
  { clock, onChunk }: { clock: Clock; onChunk: () => void },
): Promise<WholeDownloads | null> {
  if (isPage) {
    stream.destroy();
    return null;
  }
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    onChunk();
    hash.update(chunk);
    bytes += chunk.length;
  }
  if (bytes !== size) throw mismatch(id, `${bytes} bytes came, not ${size}`);
  const sha256 = hash.digest('hex');
  const isEqual = before?.bytes === bytes && before.sha256 === sha256;
  return isEqual
    ? { ...before, times: before.times + 1 }
    : { bytes, sha256, times: 1, since: clock.now() };
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
