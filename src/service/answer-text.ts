import type { Readable } from 'node:stream';
import { unlessAborted } from '../base/index.ts';

/** Bytes of an answer, after unpacking. */
const LONGEST_ANSWER = 32 * 1024 ** 2;
/** Bytes up to which answers are read side by side. */
const SHORT_ANSWER = 1024 ** 2;

/** An answer that is longer than any honest one. */
export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong';
}

/** Reads the text of an answer, which comes unpacked. Rejects with AnswerTooLong over 32 MiB. */
export type ReadText = (answer: Readable, signal: AbortSignal) => Promise<string>;

/**
 * Long answers are read one after the other, beyond their first MiB: all that are under way hold
 * little more than one of them.
 */
export function createReadText(): ReadText {
  let last: Promise<void> = Promise.resolve();

  async function takeTurn(signal: AbortSignal, over: Promise<void>): Promise<void> {
    const before = last;
    last = before.then(() => over);
    await unlessAborted(before, signal);
  }

  return async (answer, signal) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of answer) {
        const before = length;
        length += chunk.length;
        if (length > LONGEST_ANSWER) throw new AnswerTooLong(`more than ${LONGEST_ANSWER} bytes`);
        chunks.push(chunk);
        if (before <= SHORT_ANSWER && length > SHORT_ANSWER) await takeTurn(signal, over);
      }
      return withoutMark(Buffer.concat(chunks, length).toString());
    } finally {
      end();
    }
  };
}

// The mark of the byte order, which some put first.
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
