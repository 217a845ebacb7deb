import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AnswerTooLong } from '../../src/service/errors.ts';
import { createReadText } from '../../src/service/http.ts';

const MIB = 1024 ** 2;
const PIECE = Buffer.alloc(64 * 1024, 'x');

/** An answer of so many bytes; `held` counts what has been read of those that are not at their end. */
function answerOf(bytes: number, held: { now: number; most: number }): Readable {
  async function* pieces() {
    for (let sent = 0; sent < bytes; sent += PIECE.length) {
      held.now += PIECE.length;
      held.most = Math.max(held.most, held.now);
      yield PIECE;
      await turn();
    }
    held.now -= bytes;
  }
  return Readable.from(pieces(), { objectMode: false, highWaterMark: PIECE.length });
}

const never = () => new AbortController().signal;

test('long answers are read one after the other, so that many hold little more than one', async () => {
  const readText = createReadText();
  const held = { now: 0, most: 0 };
  const answers = Array.from({ length: 12 }, () => readText(answerOf(16 * MIB, held), never()));
  const texts = await Promise.all(answers);
  expect(texts.map(({ length }) => length)).toEqual(texts.map(() => 16 * MIB));
  expect(held.most).toBeLessThanOrEqual(12 * 1.5 * MIB + 16 * MIB);
});

test('a short answer waits for no long one', async () => {
  const readText = createReadText();
  const stuck = new Readable({ read: () => undefined });
  stuck.push(Buffer.alloc(2 * MIB, 'x'));
  const stop = new AbortController();
  const long = readText(stuck, stop.signal);
  expect(await readText(Readable.from([Buffer.from('[]')]), never())).toBe('[]');
  stuck.destroy(new Error('cut off'));
  await expect(long).rejects.toThrow('cut off');
});

test('one that fails, is given up, or is too long lets the next be read', async () => {
  const readText = createReadText();
  const held = { now: 0, most: 0 };
  const stuck = new Readable({ read: () => undefined });
  stuck.push(Buffer.alloc(2 * MIB, 'x'));
  const first = readText(stuck, never());
  const stop = new AbortController();
  const givenUp = readText(answerOf(4 * MIB, held), stop.signal);
  const tooLong = readText(answerOf(33 * MIB, held), never());
  const last = readText(answerOf(4 * MIB, held), never());
  stop.abort(new Error('given up'));
  await expect(givenUp).rejects.toThrow('given up');
  stuck.destroy(new Error('cut off'));
  await expect(first).rejects.toThrow('cut off');
  await expect(tooLong).rejects.toThrow(AnswerTooLong);
  expect(await last).toHaveLength(4 * MIB);
});
