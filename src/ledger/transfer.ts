import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { PigeonholeError } from '../base/index.ts';
import type { Destination, SharedFile } from '../transfers/index.ts';
import type { Db, TransferRow } from './schema.ts';

/** A transfer as the worker and the listeners see it. */
export interface Transfer extends Omit<TransferRow, 'slackFile' | 'projectId' | 'folderId'> {
  file: SharedFile;
  /** Null while it is parked for want of one. */
  destination: Destination | null;
}

/** One whose record is known. */
export type FiledTransfer = Transfer & { destination: Destination; recordId: number };

export function isFiled(transfer: Transfer): transfer is FiledTransfer {
  const { state, recordId, destination } = transfer;
  return state === 'filed' && recordId !== null && destination !== null;
}

/** The folder of an active transfer; one without is a fault, as only parked ones have none. */
export function destinationOf({ id, destination }: Transfer): Destination {
  if (destination) return destination;
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} is active without a destination`);
}

/** What the upload left in the ledger; without it a create is a fault. */
export function attachmentOf({ id, attachmentId, byteSize, name }: Transfer) {
  if (attachmentId !== null && byteSize !== null) return { attachmentId, byteSize, name };
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} has no attachment`);
}

export function toTransfer(row: TransferRow): Transfer {
  const { slackFile, projectId, folderId, ...rest } = row;
  return {
    ...rest,
    // What earlier versions wrote is without the uploader.
    file: { uploader: null, ...JSON.parse(slackFile) },
    destination: projectId === null || folderId === null ? null : { projectId, folderId },
  };
}

/** Longer than any identifier of Slack's, and short enough for every index. */
const LONGEST_KEY = 200;

/**
 * A Slack file as it is looked for: its identifier where every database takes it as it is and every
 * index has room for it; a fingerprint of what is too long, has a NUL character or is no Unicode.
 * Different identifiers have different keys.
 */
export function fileKey(id: string): string {
  if (id.length <= LONGEST_KEY && id.isWellFormed() && !id.includes('\0')) return id;
  return `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`;
}

/**
 * Which transfers hold the place of their name and size in their folder: those whose create is
 * open or whose record is looked for, also when they were refused before it was known what became of
 * it. One that was answered with a record of another size holds none.
 */
export const holdsPlace = sql<boolean>`(state in ('creating', 'created')
  or (refused_in = 'creating' and problem <> 'RECORD_SIZE_MISMATCH'))`;

/** Which transfers are filed without its being known which of the folder's records is theirs. */
export const recordUnknown = sql<boolean>`(state = 'filed' and record_id is null)`;

/** Which transfers wait to be uploaded or created, or were refused while they did. */
export const UNSENT = sql<boolean>`(state in ('recorded', 'uploaded')
  or refused_in in ('recorded', 'uploaded'))`;

/** What is to be uploaded or created next. */
export const FILING = sql<boolean>`due_at is not null and state in ('recorded', 'uploaded')`;

/** The open creates, and those whose record is looked for. */
export const OPEN = sql<boolean>`due_at is not null and state in ('creating', 'created')`;

/** The columns of a transfer of which nothing is at the service. */
export const NOT_SENT = {
  attachmentId: null,
  uploadedAt: null,
  creatingSince: null,
  answeredAt: null,
  alone: 0,
  creates: 0,
  lastRecord: null,
};

/** What a transfer that has left its place tells others by. */
type Place = Pick<TransferRow, 'projectId' | 'folderId' | 'name' | 'byteSize'>;

/** Makes due the attachments that waited for a place of their name and size in their folder. */
export async function wakeTwins(
  trx: Db,
  { projectId, folderId, name, byteSize }: Place,
  now: number,
): Promise<void> {
  await trx
    .updateTable('transfers')
    .set({ dueAt: now })
    .where('state', '=', sql.lit('uploaded'))
    .where((eb) => eb.and({ projectId, folderId, name, byteSize, leaseToken: null }))
    .where('dueAt', '>', now)
    .execute();
}
