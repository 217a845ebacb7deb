import { Readable } from 'node:stream';
import { silentLogger } from '../../src/base/index.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import { ServiceError } from '../../src/service/errors.ts';
import type { UploadSource } from '../../src/service/upload.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createOpenThrottle, type StubThrottle } from './stub-throttle.ts';

/** Plain HTTP, as preparing TLS, which nock does not play, took a fifth of the tests' time. */
export const ACCOUNT = 'http://acme.example';
export const API = `${ACCOUNT}/api/v3`;
export const KEY = 'key-of-the-team';
export const FOLDER = { projectId: 7, folderId: 42 };
export const FILES = '/projects/7/folders/42/files';

export interface UnderTest<T extends StubThrottle = StubThrottle> {
  client: ServiceClient;
  clock: FakeClock;
  throttle: T;
}

/** A client whose throttle admits every call, on a clock that stands still. */
export function createUnderTest(accountUrl?: string): UnderTest {
  return createUnderTestWith(createOpenThrottle(), accountUrl);
}

export function createUnderTestWith<T extends StubThrottle>(
  throttle: T,
  accountUrl: string = ACCOUNT,
): UnderTest<T> {
  const clock = createFakeClock();
  const client = createServiceClient({
    accountUrl,
    apiKey: KEY,
    contact: 'ops@acme.example',
    throttle,
    clock,
    random: { fraction: () => 0.5, id: () => 'id' },
    logger: silentLogger,
    requestTimeoutMs: 60_000,
    adapter: 'http',
  });
  return { client, clock, throttle };
}

/** A file record as section 2.1 shows it. */
export function record(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 1,
    name: 'plan.pdf',
    byte_size: 5,
    created_at: '2026-01-05T10:00:00+01:00',
    updated_at: '2026-01-05T11:30:00+01:00',
    source: 'upload',
    approved_by_me: true,
    approved_count: 2,
    file_type: 'pdf',
    proof_count: 3,
    url: 'https://acme.example/thumbnails/1.png',
    creator: { id: 9 },
    ...fields,
  };
}

export interface TestSource extends UploadSource {
  /** Every stream that was opened. */
  opened: Readable[];
}

export function sourceOf(text: string, fields: Partial<UploadSource> = {}): TestSource {
  const opened: Readable[] = [];
  return {
    name: 'plan.pdf',
    size: Buffer.byteLength(text),
    mimetype: 'application/pdf',
    open: async () => {
      const bytes = Readable.from(
        [Buffer.from(text)].filter((chunk) => chunk.length > 0),
        {
          objectMode: false,
        },
      );
      opened.push(bytes);
      return bytes;
    },
    opened,
    ...fields,
  };
}

/** The ServiceError that a promise rejects with; any other outcome fails the test. */
export async function serviceErrorOf(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await rejectionOf(promise);
  if (error instanceof ServiceError) return error;
  throw new Error('not a ServiceError', { cause: error });
}

export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('did not reject');
    },
    (error: unknown) => error,
  );
}
