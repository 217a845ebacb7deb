import { createHash } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PigeonholeError } from '../../src/base/index.ts';
import {
  createUnderTestWith,
  rejectionOf,
  serviceErrorOf,
  sourceOf,
  type UnderTest,
} from './client-under-test.ts';
import { type SmallServer, startSmallServer } from './small-server.ts';
import { createHeldThrottle, createOpenThrottle } from './stub-throttle.ts';

const BULK = { lane: 'bulk', queue: 'C1' } as const;
const KIB = 1024;
const MIB = 1024 * KIB;
const CHUNK = Buffer.alloc(64 * KIB, 'x');

let server: SmallServer;
let listener: RequestListener;
let it: UnderTest;

beforeEach(async () => {
  server = await startSmallServer((request, response) => listener(request, response));
  it = createUnderTestWith(createOpenThrottle(), server.url);
});

afterEach(async () => {
  await server.stop();
  expect(it.throttle.open()).toBe(0);
  expect(it.clock.sleepers()).toBe(0);
});

function answer(response: ServerResponse, status = 200, body: unknown = { file_id: 5 }): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Flow {
  produced: number;
  stream: Readable;
}

/** A source of `size` bytes that counts what was taken from it. */
function flowOf(size: number): { flow: Flow; open: () => Promise<Readable> } {
  const flow: Flow = { produced: 0, stream: Readable.from([]) };
  const open = async () => {
    flow.produced = 0;
    flow.stream = new Readable({
      read() {
        const chunk = CHUNK.subarray(0, Math.min(CHUNK.length, size - flow.produced));
        flow.produced += chunk.length;
        this.push(chunk.length > 0 ? chunk : null);
      },
    });
    return flow.stream;
  };
  return { flow, open };
}

describe('a streamed upload', () => {
  test('arrives whole, with its length told beforehand', async () => {
    const size = 3 * MIB + 17;
    const { open } = flowOf(size);
    let length = 0;
    let body: Buffer = Buffer.alloc(0);
    listener = async (request, response) => {
      length = Number(request.headers['content-length']);
      body = await readAll(request);
      answer(response);
    };
    const progress: number[] = [];
    const source = sourceOf('', { size, open, onProgress: (sent) => progress.push(sent) });
    expect(await it.client.uploadFile(7, source, BULK)).toMatchObject({ sentBytes: size });
    expect(body.length).toBe(length);
    expect(body.subarray(-4).toString()).toBe('--\r\n');
    const start = body.indexOf('\r\n\r\n', body.indexOf('name="file"')) + 4;
    const digest = createHash('sha256')
      .update(body.subarray(start, start + size))
      .digest('hex');
    expect(digest).toBe(createHash('sha256').update(Buffer.alloc(size, 'x')).digest('hex'));
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)).toBe(size);
  });

  test('an empty file is a file', async () => {
    let body = '';
    let length = '';
    listener = async (request, response) => {
      length = request.headers['content-length'] ?? '';
      body = (await readAll(request)).toString();
      answer(response);
    };
    const upload = await it.client.uploadFile(7, sourceOf(''), BULK);
    expect(upload).toMatchObject({ attachmentId: 5, sentBytes: 0 });
    expect(body).toContain('Content-Type: application/pdf\r\n\r\n\r\n--');
    expect(Number(length)).toBe(body.length);
    expect(body).toMatch(/--\r\n$/);
  });

  test('is taken no faster than the service reads', async () => {
    const size = 96 * MIB;
    const { flow, open } = flowOf(size);
    let read = 0;
    let widest = 0;
    listener = async (request, response) => {
      for await (const chunk of request) {
        widest = Math.max(widest, flow.produced - read);
        read += chunk.length;
        await turn();
      }
      answer(response);
    };
    await it.client.uploadFile(7, sourceOf('', { size, open }), BULK);
    expect(widest).toBeGreaterThan(0);
    expect(widest).toBeLessThan(32 * MIB);
  });

  test('opens its source only once it is admitted', async () => {
    const held = createHeldThrottle();
    it = createUnderTestWith(held, server.url);
    listener = async (request, response) => {
      await readAll(request);
      answer(response);
    };
    const source = sourceOf('hello');
    const uploading = it.client.uploadFile(7, source, BULK);
    await turn();
    expect(source.opened).toHaveLength(0);
    held.grant();
    await uploading;
    expect(source.opened).toHaveLength(1);
  });
});

describe('a source that fails', () => {
  test('ends the request, and its own error comes out', async () => {
    const failure = new PigeonholeError('SLACK_FILE_UNAVAILABLE', 'gone');
    const closed = Promise.withResolvers<void>();
    listener = (request) => {
      request.on('error', () => undefined).on('close', closed.resolve);
      request.once('data', () => stream.destroy(failure));
      request.resume();
    };
    const stream = new Readable({ read: () => undefined });
    stream.push(CHUNK);
    const source = sourceOf('', { size: 10 * MIB, open: async () => stream });
    expect(await rejectionOf(it.client.uploadFile(7, source, BULK))).toBe(failure);
    await closed.promise;
    expect(it.throttle.outcomes).toMatchObject([{ sent: true }]);
  });

  test('to open costs no place', async () => {
    const failure = new PigeonholeError('SLACK_FILE_DELETED', 'gone');
    const source = sourceOf('hello', { open: () => Promise.reject(failure) });
    expect(await rejectionOf(it.client.uploadFile(7, source, BULK))).toBe(failure);
    expect(it.throttle.outcomes).toMatchObject([{ sent: false }]);
  });

  test.each([
    ['short', 6],
    ['long', 4],
    ['empty', 5 * MIB],
    ['not empty', 0],
  ])('by being %s of its size ends the request', async (_what, size) => {
    listener = (request) => request.on('error', () => undefined).resume();
    const source = sourceOf(size === 5 * MIB ? '' : 'hello', { size });
    const error = await rejectionOf(it.client.uploadFile(7, source, BULK));
    expect(error).toMatchObject({ code: 'SLACK_FILE_SIZE_MISMATCH' });
    expect(source.opened).toHaveLength(1);
  });

  test('by closing before its end is short', async () => {
    listener = (request) => request.on('error', () => undefined).resume();
    const stream = new Readable({ read: () => undefined });
    const open = async () => {
      setImmediate(() => stream.destroy());
      return stream;
    };
    const error = await rejectionOf(it.client.uploadFile(7, sourceOf('hello', { open }), BULK));
    expect(error).toMatchObject({ code: 'SLACK_FILE_SIZE_MISMATCH' });
  });
});

describe('a service that does not read to the end', () => {
  test.each([
    [403, 'SERVICE_FORBIDDEN'],
    [413, 'SERVICE_BAD_REQUEST'],
  ])('and answers %i early: the source is closed', async (status, code) => {
    const size = 256 * MIB;
    const { flow, open } = flowOf(size);
    const closed = Promise.withResolvers<void>();
    listener = (request, response) => {
      request.on('error', () => undefined);
      request.socket.on('close', closed.resolve);
      request.once('data', () => {
        request.pause();
        response.on('finish', () => request.resume());
        answer(response, status, {});
      });
    };
    const error = await serviceErrorOf(it.client.uploadFile(7, sourceOf('', { size, open }), BULK));
    expect(error).toMatchObject({ code, status });
    expect(flow.stream.destroyed).toBe(true);
    expect(flow.produced).toBeLessThan(size);
    await closed.promise;
  });

  test('and says that it has the file all the same is not believed', async () => {
    const { open } = flowOf(256 * MIB);
    listener = (request, response) => {
      request.once('data', () => {
        request.pause();
        answer(response);
      });
    };
    const source = sourceOf('', { size: 256 * MIB, open });
    const uploading = serviceErrorOf(it.client.uploadFile(7, source, BULK));
    await retryDue();
    await it.clock.advance(1_000);
    expect(await uploading).toMatchObject({ code: 'SERVICE_BAD_ANSWER', retry: 'later' });
  });

  test('and breaks the connection: the file is sent again', async () => {
    const size = MIB;
    const { open } = flowOf(size);
    let requests = 0;
    listener = async (request, response) => {
      requests += 1;
      if (requests === 1) return void request.once('data', () => request.socket.resetAndDestroy());
      await readAll(request);
      answer(response);
    };
    const uploading = it.client.uploadFile(7, sourceOf('', { size, open }), BULK);
    await retryDue();
    await it.clock.advance(1_000);
    expect(await uploading).toMatchObject({ attachmentId: 5, sentBytes: size });
    expect(it.throttle.outcomes).toMatchObject([{ sent: true }, { sent: true }]);
  });
});

describe('time', () => {
  test('an upload in which nothing moves for a minute ends', async () => {
    listener = (request) => request.on('error', () => undefined).resume();
    const uploading = serviceErrorOf(
      it.client.uploadFile(7, sourceOf('hello'), { lane: 'interactive' }),
    );
    await expect.poll(() => it.clock.sleepers(), { interval: 1 }).toBe(2);
    await it.clock.advance(60_000);
    expect(await uploading).toMatchObject({ code: 'SERVICE_TIMEOUT', sent: 'unknown' });
  });

  test('an upload that moves now and then goes on, up to its ceiling', async () => {
    const seen = { bytes: 0 };
    listener = (request) => {
      request
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          seen.bytes += chunk.length;
        });
    };
    const stream = new Readable({ read: () => undefined });
    const source = sourceOf('', { size: 8 * MIB, open: async () => stream });
    const uploading = serviceErrorOf(it.client.uploadFile(7, source, { lane: 'interactive' }));
    for (let step = 1; step <= 4; step += 1) {
      stream.push(CHUNK);
      await expect.poll(() => seen.bytes, { interval: 1 }).toBeGreaterThan(step * CHUNK.length);
      await it.clock.advance(45_000);
      expect(it.throttle.open()).toBe(1);
    }
    stream.push(CHUNK);
    await it.clock.advance(8_000);
    expect(await uploading).toMatchObject({ code: 'SERVICE_TIMEOUT', sent: 'unknown' });
  });

  test('a list that is not answered within a minute ends', async () => {
    const arrived = Promise.withResolvers<void>();
    listener = () => arrived.resolve();
    const listing = serviceErrorOf(
      it.client.listFiles({ projectId: 7, folderId: 42 }, { lane: 'interactive' }),
    );
    await arrived.promise;
    await it.clock.advance(60_000);
    expect(await listing).toMatchObject({ code: 'SERVICE_TIMEOUT', retry: 'later' });
  });

  test('an answer that is cut off is a broken connection', async () => {
    listener = (_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('[{"id"');
      setImmediate(() => response.destroy());
    };
    const listing = serviceErrorOf(it.client.listFiles({ projectId: 7, folderId: 42 }, BULK));
    await retryDue();
    await it.clock.advance(1_000);
    expect(await listing).toMatchObject({ code: 'SERVICE_UNREACHABLE', sent: 'unknown' });
  });
});

describe('a caller who gives up', () => {
  test('during an upload: the reason comes out, source and connection are closed', async () => {
    const { flow, open } = flowOf(256 * MIB);
    const controller = new AbortController();
    const reason = new Error('enough');
    const closed = Promise.withResolvers<void>();
    listener = (request) => {
      request.on('error', () => undefined).on('close', closed.resolve);
      request.once('data', () => controller.abort(reason));
    };
    const call = { ...BULK, signal: controller.signal };
    const uploading = it.client.uploadFile(7, sourceOf('', { size: 256 * MIB, open }), call);
    expect(await rejectionOf(uploading)).toBe(reason);
    expect(flow.stream.destroyed).toBe(true);
    await closed.promise;
  });

  test('while the source opens: a stream that comes late is closed', async () => {
    const controller = new AbortController();
    const opening = Promise.withResolvers<Readable>();
    const call = { ...BULK, signal: controller.signal };
    const source = sourceOf('hello', { open: () => opening.promise });
    const uploading = rejectionOf(it.client.uploadFile(7, source, call));
    await turn();
    controller.abort(new Error('enough'));
    expect(await uploading).toBe(controller.signal.reason);
    const late = Readable.from(['hello']);
    opening.resolve(late);
    await once(late, 'close');
    expect(it.throttle.outcomes).toMatchObject([{ sent: false }]);
  });

  test('keeps no listener on a signal that outlives its calls', async () => {
    const { signal } = new AbortController();
    listener = async (request, response) => {
      await readAll(request);
      answer(response, 200, request.method === 'GET' ? [] : { file_id: 5 });
    };
    const call = { ...BULK, signal };
    for (let round = 0; round < 3; round += 1) {
      await it.client.uploadFile(7, sourceOf('hello'), call);
      await it.client.listFiles({ projectId: 7, folderId: 42 }, call);
      await it.client.deleteFile({ projectId: 7, folderId: 42 }, 1, call);
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

async function retryDue(): Promise<void> {
  await expect.poll(() => it.throttle.open() === 0 && it.clock.sleepers(), { interval: 1 }).toBe(1);
}
