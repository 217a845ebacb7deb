import { getEventListeners, once } from 'node:events';
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { rejectionOf, serviceErrorOf, sourceOf } from './client-under-test.ts';
import { answer, BULK, CHUNK, flowOf, MIB, readAll, useServer } from './server-under-test.ts';

const under = useServer();

describe('an upload to a service that does not read the whole request', () => {
  test.each([
    [403, 'SERVICE_UPLOAD_FORBIDDEN'],
    [413, 'SERVICE_TOO_LARGE'],
  ])('closes its source when the service answers %i early', async (status, code) => {
    const size = 256 * MIB;
    const { flow, open } = flowOf(size);
    const closed = Promise.withResolvers<void>();
    under.serve((request, response) => {
      request.on('error', () => undefined);
      request.socket.on('close', closed.resolve);
      request.once('data', () => {
        request.pause();
        response.on('finish', () => request.resume());
        answer(response, status, {});
      });
    });
    const error = await serviceErrorOf(
      under.it.client.uploadFile(7, sourceOf('', { size, open }), BULK),
    );
    expect(error).toMatchObject({ code, status });
    expect(flow.stream.destroyed).toBe(true);
    expect(flow.produced).toBeLessThan(size);
    await closed.promise;
  });

  /** Answers an upload when its headers have come, and ends the connection under the body. */
  function refuseUnread(status: number) {
    const asked: (string | undefined)[] = [];
    const refuse: RequestListener = (request, response) => {
      asked.push(request.headers.expect);
      request.on('error', () => undefined);
      response.on('finish', () => request.socket.resetAndDestroy());
      answer(response, status, { message: 'no' });
    };
    under.serve(refuse);
    under.serveAsked(refuse);
    return asked;
  }

  /** A source that is still read when the connection has ended. */
  function unhurried(size: number) {
    let left = size;
    const read = function (this: Readable) {
      const chunk = CHUNK.subarray(0, Math.min(CHUNK.length, left));
      left -= chunk.length;
      setImmediate(() => this.push(chunk.length > 0 ? chunk : null));
    };
    return async () => {
      left = size;
      return new Readable({ read });
    };
  }

  test.each([
    [413, 'SERVICE_TOO_LARGE'],
    [403, 'SERVICE_UPLOAD_FORBIDDEN'],
    [401, 'SERVICE_UNAUTHORIZED'],
  ])(
    'asks before it sends again when the connection broke, and so learns of the %i',
    async (status, code) => {
      const asked = refuseUnread(status);
      const source = sourceOf('', { size: 8 * MIB, open: unhurried(8 * MIB) });
      const uploading = serviceErrorOf(under.it.client.uploadFile(7, source, BULK));
      await under.retryDue();
      await under.it.clock.advance(1_000);
      expect(await uploading).toMatchObject({ code, status, said: 'no' });
      expect(asked).toEqual([undefined, '100-continue']);
    },
  );

  test.each(['that tells it to go on', 'that does not know the question'])(
    'sends the whole file, having asked, to a service %s',
    async (what) => {
      const size = MIB;
      let sent = 0;
      under.serve((request) => void request.once('data', () => request.socket.resetAndDestroy()));
      under.serveAsked(async (request, response) => {
        if (what === 'that tells it to go on') response.writeContinue();
        sent = (await readAll(request)).length;
        answer(response);
      });
      const source = sourceOf('', { size, open: flowOf(size).open });
      const uploading = under.it.client.uploadFile(7, source, BULK);
      await under.retryDue();
      await under.it.clock.advance(1_000);
      if (what === 'that does not know the question') {
        await expect.poll(() => under.it.clock.sleepers(), { interval: 1 }).toBe(3);
        await under.it.clock.advance(1_000);
      }
      expect(await uploading).toMatchObject({ attachmentId: 5, sentBytes: size });
      expect(sent).toBeGreaterThan(size);
    },
  );

  test('rejects with SERVICE_BAD_ANSWER when the service reports success early', async () => {
    const { open } = flowOf(256 * MIB);
    under.serve((request, response) => {
      request.once('data', () => {
        request.pause();
        answer(response);
      });
    });
    const source = sourceOf('', { size: 256 * MIB, open });
    const uploading = serviceErrorOf(under.it.client.uploadFile(7, source, BULK));
    await under.retryDue();
    await under.it.clock.advance(1_000);
    expect(await uploading).toMatchObject({ code: 'SERVICE_BAD_ANSWER', retry: 'later' });
  });

  test('is repeated when the service breaks the connection', async () => {
    const size = MIB;
    const { open } = flowOf(size);
    let requests = 0;
    under.serve(async (request, response) => {
      requests += 1;
      if (requests === 1) return void request.once('data', () => request.socket.resetAndDestroy());
      await readAll(request);
      answer(response);
    });
    const uploading = under.it.client.uploadFile(7, sourceOf('', { size, open }), BULK);
    await under.retryDue();
    await under.it.clock.advance(1_000);
    expect(await uploading).toMatchObject({ attachmentId: 5, sentBytes: size });
    expect(under.it.throttle.outcomes).toMatchObject([{ sent: true }, { sent: true }]);
  });
});

describe('a request that takes too long or is cut off', () => {
  test('ends when nothing moves in an upload for a minute', async () => {
    under.serve((request) => request.on('error', () => undefined).resume());
    const uploading = serviceErrorOf(
      under.it.client.uploadFile(7, sourceOf('hello'), { lane: 'interactive' }),
    );
    await expect.poll(() => under.it.clock.sleepers(), { interval: 1 }).toBe(2);
    await under.it.clock.advance(60_000);
    expect(await uploading).toMatchObject({ code: 'SERVICE_TIMEOUT', sent: 'unknown' });
  });

  test('continues while an upload moves now and then, up to the limit for all of it', async () => {
    const seen = { bytes: 0 };
    under.serve((request) => {
      request
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          seen.bytes += chunk.length;
        });
    });
    const stream = new Readable({ read: () => undefined });
    const source = sourceOf('', { size: 8 * MIB, open: async () => stream });
    const uploading = serviceErrorOf(
      under.it.client.uploadFile(7, source, { lane: 'interactive' }),
    );
    for (let step = 1; step <= 4; step += 1) {
      stream.push(CHUNK);
      await expect.poll(() => seen.bytes, { interval: 1 }).toBeGreaterThan(step * CHUNK.length);
      await under.it.clock.advance(45_000);
      expect(under.it.throttle.open()).toBe(1);
    }
    stream.push(CHUNK);
    await under.it.clock.advance(8_000);
    expect(await uploading).toMatchObject({ code: 'SERVICE_TIMEOUT', sent: 'unknown' });
  });

  test('ends after ten seconds when an interactive list is not answered', async () => {
    const arrived = Promise.withResolvers<void>();
    under.serve(() => arrived.resolve());
    const listing = serviceErrorOf(
      under.it.client.listFiles({ projectId: 7, folderId: 42 }, { lane: 'interactive' }),
    );
    await arrived.promise;
    await under.it.clock.advance(10_000);
    expect(await listing).toMatchObject({ code: 'SERVICE_TIMEOUT', retry: 'later' });
  });

  test('ends after a minute when a create is not answered, and does not repeat it', async () => {
    let requests = 0;
    under.serve(() => {
      requests += 1;
    });
    const attachments = [{ attachmentId: 5, name: 'plan.pdf', byteSize: 5 }];
    const request = { destination: { projectId: 7, folderId: 42 }, attachments };
    const creating = serviceErrorOf(under.it.client.createFiles(request, BULK));
    await expect.poll(() => requests, { interval: 1 }).toBe(1);
    await under.it.clock.advance(60_000);
    expect(await creating).toMatchObject({ code: 'SERVICE_TIMEOUT', sent: 'unknown' });
    expect(requests).toBe(1);
  });

  test('rejects with SERVICE_UNREACHABLE when the answer is cut off', async () => {
    under.serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('[{"id"');
      setImmediate(() => response.destroy());
    });
    const listing = serviceErrorOf(under.it.client.listFiles({ projectId: 7, folderId: 42 }, BULK));
    await under.retryDue();
    await under.it.clock.advance(1_000);
    expect(await listing).toMatchObject({ code: 'SERVICE_UNREACHABLE', sent: 'unknown' });
  });
});

describe("a caller's abort", () => {
  test('during an upload rejects with its reason, and closes source and connection', async () => {
    const { flow, open } = flowOf(256 * MIB);
    const controller = new AbortController();
    const reason = new Error('enough');
    const closed = Promise.withResolvers<void>();
    under.serve((request) => {
      request.on('error', () => undefined).on('close', closed.resolve);
      request.once('data', () => controller.abort(reason));
    });
    const call = { ...BULK, signal: controller.signal };
    const uploading = under.it.client.uploadFile(7, sourceOf('', { size: 256 * MIB, open }), call);
    expect(await rejectionOf(uploading)).toBe(reason);
    expect(flow.stream.destroyed).toBe(true);
    await closed.promise;
  });

  test('while the source opens closes the stream that opens later', async () => {
    const controller = new AbortController();
    const opening = Promise.withResolvers<Readable>();
    const call = { ...BULK, signal: controller.signal };
    const source = sourceOf('hello', { open: () => opening.promise });
    const uploading = rejectionOf(under.it.client.uploadFile(7, source, call));
    await turn();
    controller.abort(new Error('enough'));
    expect(await uploading).toBe(controller.signal.reason);
    const late = Readable.from(['hello']);
    opening.resolve(late);
    await once(late, 'close');
    expect(under.it.throttle.outcomes).toMatchObject([{ sent: false }]);
  });

  test('leaves no listener on a signal that outlives its calls', async () => {
    const { signal } = new AbortController();
    under.serve(async (request, response) => {
      await readAll(request);
      answer(response, 200, request.method === 'GET' ? [] : { file_id: 5 });
    });
    const call = { ...BULK, signal };
    for (let round = 0; round < 3; round += 1) {
      await under.it.client.uploadFile(7, sourceOf('hello'), call);
      await under.it.client.listFiles({ projectId: 7, folderId: 42 }, call);
      await under.it.client.deleteFile({ projectId: 7, folderId: 42 }, 1, call);
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
