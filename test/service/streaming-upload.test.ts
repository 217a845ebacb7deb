import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PigeonholeError } from '../../src/base/index.ts';
import { rejectionOf, sourceOf } from './client-under-test.ts';
import { answer, BULK, CHUNK, flowOf, MIB, readAll, useServer } from './server-under-test.ts';
import { createHeldThrottle } from './stub-throttle.ts';

const under = useServer();

describe('a streamed upload', () => {
  test('arrives whole, with its length sent beforehand', async () => {
    const size = 3 * MIB + 17;
    const { open } = flowOf(size);
    let length = 0;
    let body: Buffer = Buffer.alloc(0);
    under.serve(async (request, response) => {
      length = Number(request.headers['content-length']);
      body = await readAll(request);
      answer(response);
    });
    const progress: number[] = [];
    const source = sourceOf('', { size, open, onProgress: (sent) => progress.push(sent) });
    expect(await under.it.client.uploadFile(7, source, BULK)).toMatchObject({ sentBytes: size });
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

  test('can be of an empty file', async () => {
    let body = '';
    let length = '';
    under.serve(async (request, response) => {
      length = request.headers['content-length'] ?? '';
      body = (await readAll(request)).toString();
      answer(response);
    });
    const upload = await under.it.client.uploadFile(7, sourceOf(''), BULK);
    expect(upload).toMatchObject({ attachmentId: 5, sentBytes: 0 });
    expect(body).toContain('Content-Type: application/pdf\r\n\r\n\r\n--');
    expect(Number(length)).toBe(body.length);
    expect(body).toMatch(/--\r\n$/);
  });

  test('reads its source no faster than the service reads', async () => {
    const size = 96 * MIB;
    const { flow, open } = flowOf(size);
    let read = 0;
    let widest = 0;
    under.serve(async (request, response) => {
      for await (const chunk of request) {
        widest = Math.max(widest, flow.produced - read);
        read += chunk.length;
        await turn();
      }
      answer(response);
    });
    await under.it.client.uploadFile(7, sourceOf('', { size, open }), BULK);
    expect(widest).toBeGreaterThan(0);
    expect(widest).toBeLessThan(32 * MIB);
  });

  test('has what it has sent collected as garbage every few MiB', async () => {
    const collect = vi.fn();
    vi.stubGlobal('gc', collect);
    onTestFinished(() => void vi.unstubAllGlobals());
    const size = 32 * MIB;
    under.serve(async (request, response) => {
      await readAll(request);
      answer(response);
    });
    await under.it.client.uploadFile(7, sourceOf('', { size, open: flowOf(size).open }), BULK);
    expect(collect.mock.calls.length).toBeGreaterThanOrEqual(7);
    expect(collect).toHaveBeenCalledWith({ type: 'minor' });
  });

  test('opens its source only once it is admitted', async () => {
    const held = createHeldThrottle();
    under.throttleBy(held);
    under.serve(async (request, response) => {
      await readAll(request);
      answer(response);
    });
    const source = sourceOf('hello');
    const uploading = under.it.client.uploadFile(7, source, BULK);
    await turn();
    expect(source.opened).toHaveLength(0);
    held.grant();
    await uploading;
    expect(source.opened).toHaveLength(1);
  });
});

describe('a 429 while the source of an upload opens', () => {
  test('makes the upload request a new slot and open its source again, without using the old slot', async () => {
    let requests = 0;
    under.serve((request, response) => {
      requests += 1;
      request.resume().on('end', () => response.end('{"file_id":5}'));
    });
    const inner = sourceOf('hello');
    const source = sourceOf('hello', {
      open: (signal) => {
        if (inner.opened.length === 0) under.it.throttle.holdAll();
        return inner.open(signal);
      },
    });
    const uploading = under.it.client.uploadFile(7, source, BULK);
    await expect.poll(() => under.it.clock.sleepers(), { interval: 1 }).toBe(1);
    expect(requests).toBe(0);
    await under.it.clock.advance(0);
    await uploading;
    expect(requests).toBe(1);
    expect(inner.opened[0]?.destroyed).toBe(true);
    expect(under.it.throttle.outcomes).toMatchObject([{ sent: false }, { sent: true }]);
    expect(under.it.throttle.outcomes[0]?.rateLimitedForMs).toBeUndefined();
  });
});

describe('an upload whose source fails', () => {
  test("ends its request and rejects with the source's error", async () => {
    const failure = new PigeonholeError('SLACK_FILE_UNAVAILABLE', 'gone');
    const closed = Promise.withResolvers<void>();
    under.serve((request) => {
      request.on('error', () => undefined).on('close', closed.resolve);
      request.once('data', () => stream.destroy(failure));
      request.resume();
    });
    const stream = new Readable({ read: () => undefined });
    stream.push(CHUNK);
    const source = sourceOf('', { size: 10 * MIB, open: async () => stream });
    expect(await rejectionOf(under.it.client.uploadFile(7, source, BULK))).toBe(failure);
    await closed.promise;
    expect(under.it.throttle.outcomes).toMatchObject([{ sent: true }]);
  });

  test('uses no slot when the source cannot be opened', async () => {
    const failure = new PigeonholeError('SLACK_FILE_DELETED', 'gone');
    const source = sourceOf('hello', { open: () => Promise.reject(failure) });
    expect(await rejectionOf(under.it.client.uploadFile(7, source, BULK))).toBe(failure);
    expect(under.it.throttle.outcomes).toMatchObject([{ sent: false }]);
  });

  test.each([
    ['short', 6],
    ['long', 4],
    ['empty', 5 * MIB],
    ['not empty', 0],
  ])(
    'rejects, and sends no whole request, when the source is %s for its size',
    async (_what, size) => {
      const requests: IncomingMessage[] = [];
      under.serve((request) => {
        requests.push(request);
        request.on('error', () => undefined).resume();
      });
      const source = sourceOf(size === 5 * MIB ? '' : 'hello', { size });
      const error = await rejectionOf(under.it.client.uploadFile(7, source, BULK));
      expect(error).toMatchObject({ code: 'SLACK_FILE_SIZE_MISMATCH', retry: 'later' });
      expect(source.opened).toHaveLength(1);
      await Promise.all(requests.map((request) => request.closed || once(request, 'close')));
      expect(requests.filter(({ complete }) => complete)).toEqual([]);
    },
  );

  test.each([
    ['breaks', new Error('aborted')],
    ['closes before its end', undefined],
    ['was broken when it opened', 'at once'],
  ])('rejects with SLACK_FILE_UNAVAILABLE when the source %s', async (_what, reason) => {
    under.serve((request) => request.on('error', () => undefined).resume());
    const stream = new Readable({ read: () => undefined }).on('error', () => undefined);
    const open = async () => {
      if (reason === 'at once') stream.destroy(new Error('aborted'));
      else setImmediate(() => stream.destroy(reason instanceof Error ? reason : undefined));
      return stream;
    };
    const error = await rejectionOf(
      under.it.client.uploadFile(7, sourceOf('hello', { open }), BULK),
    );
    expect(error).toMatchObject({ code: 'SLACK_FILE_UNAVAILABLE', retry: 'later' });
    expect(stream.destroyed).toBe(true);
  });
});
