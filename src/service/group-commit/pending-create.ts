import type { Clock, Random } from '../../base/index.ts';
import { nameForm } from '../../transfers/index.ts';
import type { CreateRequest } from '../client.ts';
import type { FileRecord } from '../file-record.ts';
import { type RetryTally, startTally } from '../requests/retry-tally.ts';
import type { Lane } from '../throttle/throttle.ts';

export interface CreateCall {
  request: CreateRequest;
  apiKey: string;
  lane: Lane;
  queue: string | undefined;
  signal: AbortSignal | undefined;
}

/** A create that waits for its batch, or is on its way in one. */
export interface PendingCreate extends CreateCall {
  /** The same for two creates of one folder whose records could be taken for each other. */
  twinKey: string;
  tally: RetryTally;
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
    tally: startTally({ lane, ...timing }),
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
