import type { Destination } from '../../transfers/destination.ts';
import type { FileRecord } from '../file-record.ts';
import { allAborted } from '../requests/all-aborted.ts';
import { ServiceError } from '../requests/service-error.ts';
import type { Place } from '../requests/with-admission.ts';
import { matchCreated } from './match-created.ts';
import type { PendingCreate } from './pending-create.ts';

/** One create request, for one folder and key. */
export interface BatchRequest {
  destination: Destination;
  apiKey: string;
  attachments: number[];
  signal: AbortSignal;
}

export interface BatchSender {
  /** Sends one create request that is admitted already; the records of its answer, in any order. */
  send(batch: BatchRequest): Promise<FileRecord[]>;
  /** A folder is about to change, or has changed. */
  changed(destination: Destination): void;
}

/**
 * Sends a batch that has been granted a place: tells each who waits, leaves out who objects, and
 * settles those that the answer tells of. Rejects when the request fails, and when the answer does
 * not tell of everybody; who is not settled then is the caller's to settle.
 */
export async function commitBatch(
  batch: PendingCreate[],
  place: Place,
  sender: BatchSender,
): Promise<void> {
  await Promise.all(batch.map(announce));
  const ready = batch.filter((item) => !item.settled());
  const [first] = ready;
  if (!first) return;
  for (const item of ready) item.company = ready.length;
  place.sent = true;
  settle(ready, await send(first, ready, sender));
}

// Rejecting, it leaves the item out and nobody else.
async function announce(item: PendingCreate): Promise<void> {
  try {
    await item.request.onSending();
  } catch (error) {
    item.reject(error);
  }
}

async function send(
  first: PendingCreate,
  ready: PendingCreate[],
  sender: BatchSender,
): Promise<FileRecord[]> {
  const { destination } = first.request;
  const attachments = ready.map(({ request }) => request.attachmentId);
  const left = allAborted(ready.map(({ signal }) => signal));
  sender.changed(destination);
  try {
    return await sender.send({
      destination,
      apiKey: first.apiKey,
      attachments,
      signal: left.signal,
    });
  } finally {
    left.stop();
    sender.changed(destination);
  }
}

function settle(ready: PendingCreate[], records: FileRecord[]): void {
  const matches = matchCreated(
    ready.map(({ request }) => request),
    records,
  );
  for (const [index, item] of ready.entries()) {
    const record = matches[index];
    if (record) item.resolve(record);
  }
  if (matches.includes(null)) throw incomplete(records.length, ready.length);
}

// The service said that it created: whether all are among them, only its list can tell.
function incomplete(records: number, attachments: number): ServiceError {
  return new ServiceError(
    'SERVICE_BAD_ANSWER',
    `A create of ${attachments} files was answered with ${records} readable records, which do not tell of all of them`,
    { retry: 'later', sent: 'unknown', status: 201 },
  );
}
