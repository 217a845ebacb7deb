import nock from 'nock';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Attachment, Created } from '../../src/service/create-files.ts';
import {
  createUnderTest,
  createUnderTestWith,
  FOLDER,
  type UnderTest,
} from './client-under-test.ts';
import type { StubThrottle } from './stub-throttle.ts';

// nock intercepts all requests of the process once imported, and other tests share the process.
nock.restore();

export const PERSON = { lane: 'interactive' } as const;
export const BULK = { lane: 'bulk', queue: 'C1' } as const;

export interface NockUnderTest {
  /** The client of the running test. */
  readonly it: UnderTest;
  /** Replaces the client with one for another account address. */
  moveTo(accountUrl: string): void;
  /** Replaces the client with one over another throttle. */
  throttleBy(throttle: StubThrottle): void;
  /** A create of one attachment, as the worker calls it. */
  create(fields?: Partial<Attachment>): Promise<Created>;
  /** Waits until a call sleeps before its next attempt. */
  retryDue(): Promise<void>;
  /** Waits until a retry is due and lets `ms` pass. */
  nextRetry(ms?: number): Promise<void>;
}

/**
 * Creates a new client for each test of a file, against a service that nock plays; other requests
 * fail. After each test, all requests that nock expects have come, and no slot, timer or retry is
 * left.
 */
export function useNock(): NockUnderTest {
  let it: UnderTest;

  beforeAll(() => {
    nock.activate();
    nock.disableNetConnect();
  });

  beforeEach(() => {
    nock.cleanAll();
    it = createUnderTest();
  });

  afterEach(() => {
    expect(nock.pendingMocks()).toEqual([]);
    expect(it.throttle.open()).toBe(0);
    expect(it.clock.sleepers()).toBe(0);
  });

  afterAll(() => {
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
  });

  async function retryDue(): Promise<void> {
    const due = () => it.throttle.open() === 0 && it.clock.sleepers();
    await expect.poll(due, { interval: 1 }).toBe(1);
  }

  return {
    get it() {
      return it;
    },
    moveTo: (accountUrl) => {
      it = createUnderTest(accountUrl);
    },
    throttleBy: (throttle) => {
      it = createUnderTestWith(throttle);
    },
    create: async (fields = {}) => {
      const attachment = { attachmentId: 11, name: 'plan.pdf', byteSize: 5, ...fields };
      const request = { destination: FOLDER, attachments: [attachment] };
      return (await it.client.createFiles(request, BULK))[0] ?? null;
    },
    retryDue,
    nextRetry: async (ms = 8_000) => {
      await retryDue();
      await it.clock.advance(ms);
    },
  };
}

/** A fault of the network, as Node reports it; `syscall` is what the operating system failed at. */
export function fault(code: string, syscall?: string): Error {
  return Object.assign(new Error(`fault ${code}`), { code, ...(syscall ? { syscall } : {}) });
}
