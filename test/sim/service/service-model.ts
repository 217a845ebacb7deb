import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import inject, { type Response } from 'light-my-request';
import type { Clock } from '../../../src/base/index.ts';
import { applyEffect, type Effect } from '../../../src/playground/file-service/account.ts';
import { createAccountStore } from '../../../src/playground/file-service/account-store.ts';
import {
  type Behaviour,
  createBehaviourControl,
  type ProfileName,
} from '../../../src/playground/file-service/behaviour.ts';
import type { ByteStore, ReceivedBytes } from '../../../src/playground/file-service/byte-store.ts';
import { createFaultControl } from '../../../src/playground/file-service/faults.ts';
import { handleRequest } from '../../../src/playground/file-service/handle-request.ts';
import type { AttachmentUse, CreateAnswer } from '../../../src/playground/file-service/index.ts';
import { createRateWindow } from '../../../src/playground/file-service/rate-window.ts';
import { createRequestLog } from '../../../src/playground/file-service/request-log.ts';
import { findRoute } from '../../../src/playground/file-service/routes.ts';
import {
  type Seed,
  type SeedFile,
  seedAccount,
} from '../../../src/playground/file-service/seed.ts';
import { appRandom, type Rng } from '../kernel/random.ts';
import { START_TIME } from '../kernel/virtual-time.ts';

export const ACCOUNT_URL = 'https://acme.files.example/acme';
/** Returns the address of a file. */
export const addressOf = (fileId: number) => `${ACCOUNT_URL}/files/${fileId}/download`;
/** The addresses of folders, as the app's setting describes them. */
export const FOLDER_URL = `${ACCOUNT_URL}/projects/{project}/folders/{folder}`;
/** The app's API key, and the person whom it belongs to. */
export const APP_KEY = 'key-of-the-app';
export const APP_USER = 12009183;
/** Another person in the account. */
export const OTHER_USER = 12009184;
export const PROJECT = 23423235;
/** The folders that channels can be linked to. */
export const FOLDERS = [67811600, 67811601, 67811602] as const;
const HOME = 67811599;

/** The folders' initial names, by number. */
export const FOLDER_NAMES: ReadonlyMap<number, string> = new Map([
  [HOME, 'All files'],
  [FOLDERS[0], 'Contracts'],
  [FOLDERS[1], 'R&D drafts'],
  [FOLDERS[2], 'Photos, summer'],
]);

/** Returns the initial account: each folder holds `otherFiles` files of another person. */
function accountSeed(otherFiles: number): Seed {
  const folders = [HOME, ...FOLDERS].map((id, index) => ({
    id,
    name: FOLDER_NAMES.get(id) ?? '',
    ...(id === HOME ? {} : { files: filesOfOthers(otherFiles, index * 1_000) }),
  }));
  const maya = { firstName: 'Maya', lastName: 'Lindqvist', email: 'maya@example.com' };
  const tomas = { firstName: 'Tomás', lastName: 'Herrera', email: 'tomas@example.com' };
  const owned = { creatorId: APP_USER, homeFolderId: HOME };
  const createdAt = START_TIME - 86_400_000;
  return {
    people: [
      { id: APP_USER, ...maya, apiKey: APP_KEY, projects: [PROJECT] },
      { id: OTHER_USER, ...tomas, apiKey: 'key-of-another', projects: [PROJECT] },
    ],
    projects: [{ id: PROJECT, title: 'Office move', ...owned, createdAt, folders }],
  };
}

function filesOfOthers(count: number, firstId: number): SeedFile[] {
  return Array.from({ length: count }, (_, index) => ({
    id: firstId + index,
    name: `scan ${index}.pdf`,
    content: `scan ${index}`,
    creatorId: OTHER_USER,
    createdAt: START_TIME - 80_000_000 + index * 1_000,
  }));
}

// A file's content is represented by its hash: no bytes are stored.
const NO_BYTES: ByteStore = {
  receive,
  place: () => undefined,
  open: () => Readable.from([]),
  remove: () => undefined,
};

async function receive(stream: Readable): Promise<ReceivedBytes> {
  const hash = createHash('sha256');
  let byteSize = 0;
  for await (const chunk of stream) {
    byteSize += chunk.length;
    hash.update(chunk);
  }
  return receivedBytes(byteSize, hash.digest('hex'));
}

/** Returns an upload's bytes, of which only the size and the hash matter. */
export function receivedBytes(byteSize: number, sha256: string): ReceivedBytes {
  return { byteSize, sha256, keepAs: async () => undefined, discard: async () => undefined };
}

const ACCOUNT_PATH = new URL(ACCOUNT_URL).pathname;
const LIMIT = { requests: 25, windowMs: 10_000 };

/** How this world's account behaves where the interface leaves that open. */
export interface ServiceTraits {
  createAnswer: CreateAnswer;
  attachmentUse: AttachmentUse;
  profile: ProfileName;
  /** Where it differs from its profile. */
  behaviour: Partial<Behaviour>;
  /** How many files of other people are in each folder at first. */
  otherFiles: number;
  /** How far its clock is off, in milliseconds. */
  clockOffMs: number;
}

/** A request as the service receives it; the path includes the account's path and the query. */
export interface ServiceRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

export interface ServiceResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** The file service: the embedded service's account and rules, without a socket. */
export type ServiceModel = ReturnType<typeof createServiceModel>;

/** `clock`: the true time; `onEffect`: called for each change of the account, just after it. */
export function createServiceModel(options: {
  traits: ServiceTraits;
  clock: Clock;
  rng: Rng;
  onEffect(effect: Effect): void;
}) {
  const { traits, clock } = options;
  const ownClock: Clock = { ...clock, now: () => clock.now() + traits.clockOffMs };
  const createdAt = new Map<number, number>();
  const seed = accountSeed(traits.otherFiles);
  const { account } = seedAccount(seed);
  const commit = (effect: Effect) => {
    applyEffect(account, effect);
    if (effect.type === 'files-created')
      for (const { id } of effect.files) createdAt.set(id, clock.now());
    options.onEffect(effect);
  };
  const store = {
    ...createAccountStore({ account, bytes: NO_BYTES, clock: ownClock, commit }),
    /** Deletes attachments that no file was created from. */
    forgetAttachments: (): void => {
      for (const id of account.attachments.keys())
        if (!account.usedAttachments.has(id)) account.attachments.delete(id);
    },
  };
  const window = createRateWindow(LIMIT, clock);
  const { createAnswer, attachmentUse } = traits;
  const service = {
    clock: ownClock,
    window,
    behaviour: createBehaviourControl(traits.profile, traits.behaviour),
    faults: createFaultControl(appRandom(options.rng)),
    requests: createRequestLog(),
    account: { store, accountUrl: ACCOUNT_URL, createAnswer, attachmentUse },
    stopping: new AbortController().signal,
  };
  const routeOf = ({ method, path }: Pick<ServiceRequest, 'method' | 'path'>) =>
    findRoute(method, path.replace(/\?.*$/s, '').slice(ACCOUNT_PATH.length));
  return {
    store,
    window,
    routeOf,
    serve: async ({ method, path, headers, body }: ServiceRequest): Promise<ServiceResponse> => {
      const response = await inject(
        (request, response) => void handleRequest(request, response, service),
        { method: method as 'GET', url: path, headers, payload: body, validate: false },
      );
      const text = response.payload;
      return { status: response.statusCode, headers: plainHeaders(response), text };
    },
    /** Returns a list's response as of `ageMs` ago: files that were created since are left out. */
    stale: (response: ServiceResponse, ageMs: number): ServiceResponse => {
      const records: unknown = response.status === 200 ? JSON.parse(response.text) : null;
      if (!Array.isArray(records)) return response;
      const asOf = clock.now() - ageMs;
      const old = records.filter(({ id }) => (createdAt.get(id) ?? 0) <= asOf);
      return { ...response, text: JSON.stringify(old) };
    },
  };
}

function plainHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
