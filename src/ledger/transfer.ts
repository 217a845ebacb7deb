import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { ErrorCode } from '../base/index.ts';
import type { Destination, SharedFile, TransferState } from '../transfers/index.ts';
import type { Tables, TransferRow } from './schema.ts';

/** A transfer as the worker and the listeners see it. */
export interface Transfer {
  id: number;
  shareId: number;
  queue: string;
  file: SharedFile;
  /** Bytes, as far as Slack has said. */
  slackSize: number | null;
  /** The name it is filed under. */
  name: string;
  userId: string | null;
  state: TransferState;
  refusedIn: TransferState | null;
  destination: Destination | null;
  attachmentId: number | null;
  /** Bytes that were uploaded. */
  byteSize: number | null;
  uploadedAt: number | null;
  serviceTime: number | null;
  /** Creates that were sent and not answered. */
  creates: number;
  creatingSince: number | null;
  /** See TransferTable. */
  answeredAt: number | null;
  /** See TransferTable. */
  alone: number;
  /** See TransferTable. */
  lastRecord: number | null;
  recordId: number | null;
  deletedBy: string | null;
  attempts: number;
  failures: number;
  failingSince: number | null;
  problem: ErrorCode | null;
  problemNote: string | null;
  dueAt: number | null;
  leaseToken: string | null;
  recordedAt: number;
}

const sharedFile = z.object({
  id: z.string(),
  name: z.string().nullable(),
  title: z.string().nullable(),
  mimetype: z.string().nullable(),
  filetype: z.string().nullable(),
  size: z.number().nullable(),
  mode: z.string().nullable(),
  isExternal: z.boolean(),
  fileAccess: z.string().nullable(),
  url: z.string().nullable(),
});

export function toTransfer(row: TransferRow): Transfer {
  const { slackFile, projectId, folderId, problem, ...rest } = row;
  return {
    ...rest,
    file: sharedFile.parse(JSON.parse(slackFile)),
    destination: projectId === null || folderId === null ? null : { projectId, folderId },
    problem: problem as ErrorCode | null,
  };
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

/** What is to be uploaded or created next. */
export const FILING = sql<boolean>`due_at is not null and state in ('recorded', 'uploaded')`;

/** The open creates, and those whose record is looked for. */
export const OPEN = sql<boolean>`due_at is not null and state in ('creating', 'created')`;

/** What a transfer that has left its place tells others by. */
type Place = Pick<TransferRow, 'projectId' | 'folderId' | 'name' | 'byteSize'>;

/** Makes due the attachments that waited for a place of their name and size in their folder. */
export async function wakeTwins(trx: Kysely<Tables>, place: Place, now: number): Promise<void> {
  await trx
    .updateTable('transfers')
    .set({ dueAt: now })
    .where('state', '=', sql.lit('uploaded'))
    .where('projectId', '=', place.projectId)
    .where('folderId', '=', place.folderId)
    .where('name', '=', place.name)
    .where('byteSize', '=', place.byteSize)
    .where('leaseToken', 'is', null)
    .where('dueAt', '>', now)
    .execute();
}
