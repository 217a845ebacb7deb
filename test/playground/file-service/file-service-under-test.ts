import { onTestFinished } from 'vitest';
import {
  DEMO_API_KEY,
  type FileService,
  type FileServiceOptions,
  startFileService,
} from '../../../src/playground/file-service/index.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Identifiers of the default seed. */
export const WEBSITE = 23423233;
export const CAMPAIGN = 23423234;
export const OFFICE_MOVE = 23423235;
export const DESIGN = 67811578;
export const LOGOS = 67811579;
export const HOME = 67811577;
export const COPY = 67811582;
export const CONTRACTS = 67811592;

export interface CallOptions {
  method?: string;
  apiKey?: string | null;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

interface UploadOptions {
  name?: string;
  content?: string | Uint8Array<ArrayBuffer>;
  projectId?: number | string | null;
  apiKey?: string | null;
}

export interface FileServiceUnderTest {
  service: FileService;
  clock: FakeClock;
  dataDir: string;
  call(path: string, options?: CallOptions): Promise<Response>;
  upload(options?: UploadOptions): Promise<Response>;
  /** Uploads a file and returns the attachment's identifier. */
  attach(options?: UploadOptions): Promise<number>;
  create(folderId: number, body: unknown, options?: CallOptions): Promise<Response>;
}

/**
 * Starts a service that runs until the end of the test, and returns it with functions that call it.
 */
export async function fileServiceUnderTest(
  options: Partial<Omit<FileServiceOptions, 'clock'>> = {},
): Promise<FileServiceUnderTest> {
  const clock = createFakeClock();
  const dataDir = options.dataDir ?? temporaryFolder();
  const service = await startFileService({ ...options, clock, dataDir });
  onTestFinished(() => service.stop());

  const call = (path: string, options: CallOptions = {}) => {
    const { method = 'GET', apiKey = DEMO_API_KEY, body, headers, signal } = options;
    return fetch(`${service.accountUrl}${path}`, {
      method,
      headers: {
        'User-Agent': 'Pigeonhole (ops@example.com)',
        ...(apiKey === null ? {} : { 'X-API-KEY': apiKey }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  };

  const upload = ({ name = 'a.txt', content = 'hello', ...rest }: UploadOptions = {}) => {
    const { apiKey = DEMO_API_KEY, projectId = WEBSITE } = rest;
    const form = new FormData();
    if (projectId !== null) form.set('project_id', String(projectId));
    form.set('file', new Blob([content]), name);
    const headers: Record<string, string> = apiKey === null ? {} : { 'X-API-KEY': apiKey };
    const address = `${service.accountUrl}/files/upload.php`;
    return fetch(address, { method: 'POST', headers, body: form });
  };

  const attach = async (options: UploadOptions = {}) => {
    const { file_id: attachmentId } = await json<UploadJson>(await upload(options));
    return attachmentId;
  };

  const create = (folderId: number, body: unknown, options: CallOptions = {}) =>
    call(filesOf(folderId), { ...options, method: 'POST', body });

  return { service, clock, dataDir, call, upload, attach, create };
}

export interface UploadJson {
  file_id: number;
}

export interface FileJson {
  id: number;
  url: string;
}

export interface FolderJson {
  id: number;
}

/** Returns a response's body, typed as the test expects it. */
export async function json<T>(answer: Response): Promise<T> {
  const value: T = JSON.parse(await answer.text());
  return value;
}

/** Waits one turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns the path of a folder's files, by default in the website's project. */
export function filesOf(folderId: number, projectId = WEBSITE): string {
  return `/api/v3/projects/${projectId}/folders/${folderId}/files`;
}
