import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createBodyReader, type NoBody } from '../../src/slack/admit-requests.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const LIMITS = { bodyBytes: 10_000, smallPieces: 5_000, allBytes: 32_000 };

/** A reader, and requests whose bytes come when the test says so. */
function started() {
  const clock = createFakeClock();
  const reader = createBodyReader(clock, LIMITS);
  const begin = () => {
    const source = new Readable({ read: () => undefined });
    let outcome: Buffer | NoBody | null = null;
    const read = reader.read(source as Partial<IncomingMessage> as IncomingMessage).then((body) => {
      outcome = body;
      return body;
    });
    const send = (length: number) => void source.emit('data', Buffer.alloc(length, 'x'));
    return { source, send, read, outcome: () => outcome };
  };
  return { clock, reader, begin };
}

it('a body reader returns a body whole from any pieces, and then holds nothing', async () => {
  const { reader, begin } = started();
  const { source, read } = begin();
  const text = 'a small body, piece by piece, or byte by byte';
  for (const byte of text) source.emit('data', Buffer.from(byte));
  source.emit('end');
  expect(String(await read)).toBe(text);
  expect(reader.heldBytes()).toBe(0);
});

it('a body reader holds at most twice the bytes that came, however small the pieces', () => {
  const { reader, begin } = started();
  const { send } = begin();
  for (let n = 0; n < 5_000; n += 1) send(1);
  expect(reader.heldBytes()).toBeLessThan(10_001);
});

it('a body reader accepts a body of the largest size, and refuses a larger one', async () => {
  const { reader, begin } = started();
  const [full, large] = [begin(), begin()];
  full.send(LIMITS.bodyBytes);
  full.source.emit('end');
  expect(await full.read).toHaveLength(LIMITS.bodyBytes);
  large.send(LIMITS.bodyBytes);
  large.send(1);
  expect(await large.read).toBe('too large');
  expect(reader.heldBytes()).toBe(0);
});

it('a body reader refuses a body in too many pieces', async () => {
  const { reader, begin } = started();
  const { send, read } = begin();
  // One more for each 512 bytes.
  for (let n = 0; n < LIMITS.smallPieces + 9; n += 1) send(1);
  expect(reader.heldBytes()).toBeGreaterThan(0);
  send(1);
  expect(reader.heldBytes()).toBe(0);
  expect(await read).toBe('in tiny pieces');
});

it('a body reader stops holding a body whose connection broke', async () => {
  const { reader, begin } = started();
  const { source, send, read } = begin();
  send(500);
  source.emit('close');
  expect(await read).toBe('broken off');
  expect(reader.heldBytes()).toBe(0);
});

it('a body reader drops those that held most for longest if all exceed the limit', async () => {
  const { clock, reader, begin } = started();
  // Small bodies, as Slack sends them; then slow ones; then a larger one that comes quickly.
  const small = Array.from({ length: 5 }, begin);
  const slow = Array.from({ length: 4 }, begin);
  for (const { send } of small) send(900);
  for (const { send } of slow) send(6_000);
  await clock.advance(5_000);
  const quick = begin();
  quick.send(9_999);
  await clock.advance(0);
  expect(reader.heldBytes()).toBeLessThanOrEqual(LIMITS.allBytes);
  expect(slow.filter(({ outcome }) => outcome() === 'crowded out')).toHaveLength(2);
  for (const { source, read } of [quick, ...small]) {
    source.emit('end');
    expect(await read).toBeInstanceOf(Buffer);
  }
});
