import type { Readable } from 'node:stream';
import type { Clock } from '../../src/base/index.ts';
import {
  type BulkSlot,
  type CallOptions,
  type CreateRequest,
  type FileRecord,
  type ServiceClient,
  ServiceError,
} from '../../src/service/index.ts';
import { fileRecord } from '../support/builders.ts';

/**
 * The outcome of one call. `lost`: done, never answered. `unsent`: not done, never answered. `late`:
 * never answered, done after a while. `failed-after`: done, answered with 500; `failed`: 500 alone.
 * `limited`: 429. `untold`: done, answered with success but without the record.
 */
export type Fate =
  | 'fine'
  | 'lost'
  | 'unsent'
  | 'late'
  | 'failed-after'
  | 'failed'
  | 'limited'
  | 'untold';

/** The calls that filing makes. */
export type FilingCalls = Pick<
  ServiceClient,
  | 'bulkSlot'
  | 'createFiles'
  | 'creators'
  | 'peekFiles'
  | 'hasListedFolders'
  | 'listFiles'
  | 'listFolders'
  | 'uploadFile'
>;

/** A modelled file service; it accepts an attachment twice. */
export interface ModelService extends FilingCalls {
  /** The content of each record in the folder that the app created. */
  contents(): string[];
  /** Puts somebody else's file into the folder. */
  put(file: { name: string; byteSize: number }): void;
  /** The fates of the next calls, in order; all later calls succeed. */
  fates: Fate[];
  /** Gives files names of its own, and never returns which record is whose. */
  renames: boolean;
  /** The content of a record. */
  contentOf(recordId: number): string | undefined;
}

const TIMEOUT_MS = 60_000;
/** Longer than a lease, and within the timeout. */
const LATE_MS = 50_000;
const CREATOR = 7;
const FOLDER_OF_OTHERS = 'of others';

interface Attachment {
  name: string;
  byteSize: number;
  content: string;
}

/** A slot that limits nothing. */
export const freeSlot: BulkSlot = { take: () => null, giveBack: () => undefined };

/** `contentOf` returns the content that a stream opened for an upload stands for. */
export function createModelService(
  clock: Clock,
  contentOf: (stream: Readable) => string,
): ModelService {
  const attachments: Attachment[] = [];
  const records: (FileRecord & { content: string })[] = [];
  const fates: Fate[] = [];
  const creators = new Set<number>();
  const serviceTime = () => Math.floor(clock.now() / 1000) * 1000;

  const add = ({ name, byteSize, content }: Attachment) => {
    const id = records.length + 1;
    const kept = service.renames ? `f-${id}.bin` : name;
    records.push({
      ...fileRecord({ id, createdAt: serviceTime(), creatorId: CREATOR }),
      name: kept,
      byteSize,
      content,
    });
    return records.at(-1) ?? null;
  };

  async function createFiles(
    request: CreateRequest,
    { signal }: CallOptions,
  ): Promise<(FileRecord | null)[]> {
    signal?.throwIfAborted();
    const sent = request.attachments.flatMap((one) => attachments[one.attachmentId - 1] ?? []);
    const isTold = !service.renames && fates[0] !== 'untold';
    const made = await answer(() => sent.map(add), { signal, repeatable: false });
    return made.map((record) => (isTold ? record : null));
  }

  /** Applies the effect or not, and answers or not, as the next fate says. */
  async function answer<T>(
    effect: () => T,
    { signal, repeatable }: { signal: AbortSignal | undefined; repeatable: boolean },
  ): Promise<T> {
    const fate = fates.shift() ?? 'fine';
    const sent = repeatable ? 'yes' : 'unknown';
    if (fate === 'fine' || fate === 'untold') return effect();
    if (fate === 'limited') throw failure('SERVICE_RATE_LIMITED', 'no');
    if (fate === 'lost' || fate === 'failed-after') effect();
    if (fate === 'late') void clock.sleep(LATE_MS).then(effect);
    if (fate === 'failed' || fate === 'failed-after') throw failure('SERVICE_FAILED', sent);
    await clock.sleep(TIMEOUT_MS, signal);
    throw failure('SERVICE_TIMEOUT', 'unknown');
  }

  const list: ServiceClient['listFiles'] = (_destination, { signal }) => {
    const whole = () => ({
      files: [...records],
      unreadable: 0,
      serviceTime: serviceTime(),
      fetchedAt: clock.now(),
      complete: true,
    });
    return answer(whole, { signal, repeatable: true });
  };

  const service: ModelService = {
    fates,
    creators,
    get renames() {
      return creators.size > 0;
    },
    set renames(renames) {
      if (renames) creators.add(CREATOR);
      else creators.clear();
    },
    contentOf: (recordId) => records.find(({ id }) => id === recordId)?.content,
    bulkSlot: async () => freeSlot,
    listFolders: async () => null,
    hasListedFolders: () => false,
    createFiles,
    uploadFile: async (_projectId, source, { signal }) => {
      const stream = await source.open(signal ?? new AbortController().signal);
      const content = contentOf(stream);
      const upload = () => {
        const { name, size: byteSize } = source;
        const attachmentId = attachments.push({ name, byteSize, content });
        return { attachmentId, sentBytes: byteSize, serviceTime: serviceTime() };
      };
      return answer(upload, { signal, repeatable: true });
    },
    listFiles: list,
    peekFiles: async (destination, call) => {
      await list(destination, call);
      return { entries: [], whole: true, askedAt: 0, serviceTime: null };
    },
    contents: () => records.map(({ content }) => content).filter((one) => one !== FOLDER_OF_OTHERS),
    put: (file) => void add({ ...file, content: FOLDER_OF_OTHERS }),
  };
  return service;
}

function failure(code: ServiceError['code'], sent: ServiceError['sent']): ServiceError {
  const retry = code === 'SERVICE_BAD_REQUEST' ? 'never' : 'later';
  return new ServiceError(code, code, { retry, sent, retryAfterMs: undefined });
}
