import type { IncomingMessage } from 'node:http';
import type { Person } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Behaviour } from './behaviour.ts';
import { HttpError, type ResponseData } from './responses.ts';

/**
 * What a 201 returns when several files are created at once, which the interface leaves open.
 * `one-or-array`: a record for one file, an array for several; `array`: always an array; `first`:
 * only the first record.
 */
export type CreateAnswer = 'one-or-array' | 'array' | 'first';

/**
 * How often files may be created from one attachment, which the interface leaves open. `once`: not
 * again, even after its file is deleted; `often`: without limit.
 */
export type AttachmentUse = 'once' | 'often';

/** The account that a request is for. */
export interface AccountContext {
  store: AccountStore;
  /** Without a trailing slash. */
  accountUrl: string;
  createAnswer: CreateAnswer;
  attachmentUse: AttachmentUse;
}

/** The identifiers in a path; 0, which identifies nothing, where the path has none. */
export interface PathIds {
  projectId: number;
  folderId: number;
  fileId: number;
}

/** An admitted request with an accepted key, as its handler sees it. */
export interface RequestContext extends AccountContext {
  request: IncomingMessage;
  /** The text of a JSON request's body; null for other requests, whose body is not read yet. */
  body: Promise<string> | null;
  ids: PathIds;
  person: Person;
  behaviour: Behaviour;
}

/** Carries out one operation; throws HttpError to refuse it. */
export type Handler = (context: RequestContext) => ResponseData | Promise<ResponseData>;

const MAX_BYTES = 1024 * 1024;

/** Reads a request's whole body. Rejects with a 400 if it is longer than 1 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new HttpError(400, 'The body is longer than 1 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the JSON object in the body. Throws 400 if there is none. */
export async function jsonBody({ body }: RequestContext): Promise<Record<string, unknown>> {
  const value = parseJson((await body) ?? '');
  if (!isObject(value)) throw new HttpError(400, 'The body must be a JSON object.');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
