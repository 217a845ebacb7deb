import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect } from 'vitest';
import { type HttpServer, startHttpServer } from '../support/loopback.ts';
import { createUnderTestWith, type UnderTest } from './client-under-test.ts';
import { createOpenThrottle, type StubThrottle } from './stub-throttle.ts';

export const BULK = { lane: 'bulk', queue: 'C1' } as const;
export const MIB = 1024 * 1024;
export const CHUNK = Buffer.alloc(64 * 1024, 'x');

export interface ServerUnderTest {
  /** The client of the running test. */
  readonly it: UnderTest;
  /** Sets how the service behaves. */
  serve(listener: RequestListener): void;
  /** Sets how it behaves when it is asked before a body is sent. Default: as `serve` says. */
  serveAsked(listener: RequestListener): void;
  /** Replaces the client with one over another throttle. */
  throttleBy(throttle: StubThrottle): void;
  /** Waits until a call sleeps before its next attempt. */
  retryDue(): Promise<void>;
}

/**
 * Creates a new client for each test of a file, against a real local server. After each test no
 * slot, timer or retry is left.
 */
export function useServer(): ServerUnderTest {
  let server: HttpServer;
  let listener: RequestListener;
  let asked: RequestListener | null;
  let it: UnderTest;

  beforeEach(async () => {
    asked = null;
    server = await startHttpServer(
      (request, response) => listener(request, response),
      (request, response) => {
        if (asked) return asked(request, response);
        response.writeContinue();
        listener(request, response);
      },
    );
    it = createUnderTestWith(createOpenThrottle(), server.url);
  });

  afterEach(async () => {
    await server.stop();
    expect(it.throttle.open()).toBe(0);
    expect(it.clock.sleepers()).toBe(0);
  });

  return {
    get it() {
      return it;
    },
    serve: (next) => {
      listener = next;
    },
    serveAsked: (next) => {
      asked = next;
    },
    throttleBy: (throttle) => {
      it = createUnderTestWith(throttle, server.url);
    },
    retryDue: async () => {
      const due = () => it.throttle.open() === 0 && it.clock.sleepers();
      await expect.poll(due, { interval: 1 }).toBe(1);
    },
  };
}

export function answer(
  response: ServerResponse,
  status = 200,
  body: unknown = { file_id: 5 },
): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

export async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export interface Flow {
  produced: number;
  stream: Readable;
}

/** A source of `size` bytes that counts what was taken from it. */
export function flowOf(size: number): { flow: Flow; open: () => Promise<Readable> } {
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
