import type { Clock, Random } from '../../base/index.ts';
import { type Destination, nameForm } from '../../transfers/index.ts';
import type { CallOptions } from '../call.ts';
import type { FileRecord } from '../records.ts';
import { countRetries, type Retries } from '../retry.ts';

export interface CreateRequest {
  destination: Destination;
  attachmentId: number;
  /** Name and size of the upload: they tell the records of a batch apart. */
  name: string;
  byteSize: number;
  /**
   * Called when the create is about to leave, before anything is sent. The intent is recorded here;
   * when it rejects, this attachment is left out and the call rejects with that reason.
   */
  onSending(): Promise<void>;
  /**
   * Looks for a record that a request left which was answered with an error, at `answeredAt` by our
   * clock. Asked, where given, before the attachment is sent again: what is found is the outcome.
   */
  findLeft?: (answeredAt: number) => Promise<FileRecord | null>;
}

export interface CreateCall extends CallOptions {
  request: CreateRequest;
}

/** A create that waits for its batch, or is on its way in one. */
export interface PendingCreate extends CreateCall {
  /** The same for two creates of one folder whose records could be taken for each other. */
  twinKey: string;
  retries: Retries;
  /** How many went in the request that carried it last; 0 before the first. */
  company: number;
  /** To be sent in a request of its own, because one with company was refused. */
  alone: boolean;
  /** Resolved, rejected, or given up by its caller. */
  settled(): boolean;
  resolve(record: FileRecord | null): void;
  reject(error: unknown): void;
  /** What the caller waits for. */
  outcome: Promise<FileRecord | null>;
}

/** `onLeft` is called when the caller gives up before the outcome is known. */
export function createPending(
  call: CreateCall,
  timing: { clock: Clock; random: Random },
  onLeft: () => void,
): PendingCreate {
  const { promise, resolve, reject } = Promise.withResolvers<FileRecord | null>();
  const { request, signal, lane } = call;
  let settled = false;
  const settle = (how: () => void) => {
    if (settled) return;
    settled = true;
    signal?.removeEventListener('abort', leave);
    how();
  };
  const leave = () => {
    settle(() => reject(signal?.reason));
    onLeft();
  };
  signal?.addEventListener('abort', leave, { once: true });
  return {
    ...call,
    twinKey: twinKeyOf(request),
    retries: countRetries({ lane, ...timing }),
    company: 0,
    alone: false,
    settled: () => settled,
    resolve: (record) => settle(() => resolve(record)),
    reject: (error) => settle(() => reject(error)),
    outcome: promise,
  };
}

function twinKeyOf({ destination, name, byteSize }: CreateRequest): string {
  return `${destination.projectId}/${destination.folderId}/${byteSize}/${nameForm(name)}`;
}
