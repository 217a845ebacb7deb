import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { PigeonholeError } from '../base/index.ts';
import {
  ATTACHMENT_SUFFIX_LENGTH,
  type Destination,
  type MessageRef,
  type SharedFile,
} from '../transfers/index.ts';
import { isOfFolder } from './channels.ts';
import { prepared } from './run-statements.ts';
import type { Db, TransferRow } from './schema.ts';

/** A transfer as the worker and the listeners see it. */
export interface Transfer extends Omit<TransferRow, 'slackFile' | 'projectId' | 'folderId'> {
  file: SharedFile;
  /** Null while it is parked because its channel has no folder. */
  destination: Destination | null;
}

/** A filed transfer whose record is known. */
export type FiledTransfer = Transfer & { destination: Destination; recordId: number };

export function isFiled(transfer: Transfer): transfer is FiledTransfer {
  const { state, recordId, destination } = transfer;
  return state === 'filed' && recordId !== null && destination !== null;
}

/** Returns a filed transfer's record, with the names and size that it was filed with. */
export function sentAs({ recordId, name, recordName, byteSize }: FiledTransfer) {
  // The upload before the create recorded the size.
  return { recordId, name, recordName, byteSize: byteSize ?? 0 };
}

/** Returns the folder of an active transfer. Throws UNEXPECTED when there is none. */
export function destinationOf({ id, destination }: Transfer): Destination {
  if (destination) return destination;
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} is active without a destination`);
}

/** Returns what the upload wrote into the ledger. Throws UNEXPECTED before an upload. */
export function attachmentOf({ id, attachmentId, byteSize, name }: Transfer) {
  if (attachmentId !== null && byteSize !== null) return { attachmentId, byteSize, name };
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} has no attachment`);
}

export function toTransfer(row: TransferRow): Transfer {
  const { slackFile, projectId, folderId, ...rest } = row;
  return {
    ...rest,
    // Earlier versions stored no uploader.
    file: { uploader: null, ...JSON.parse(slackFile) },
    destination: projectId === null || folderId === null ? null : { projectId, folderId },
  };
}

/** Selects all transfers to a folder. */
export function inFolder(db: Db, folder: Destination) {
  return db.selectFrom('transfers').selectAll().where(isOfFolder(folder));
}

/** Returns the transfers that a query selects. */
export async function findTransfers(query: {
  execute(): Promise<TransferRow[]>;
}): Promise<Transfer[]> {
  return (await query.execute()).map(toTransfer);
}

/** Longer than any identifier of Slack's, and short enough for every index. */
const MAX_KEY_LENGTH = 200;

/**
 * Returns the key that stands for a Slack file: its identifier, or a hash of one that is too long
 * for an index, has a NUL character or is not well-formed Unicode. Different identifiers have
 * different keys.
 */
export function fileKey(id: string): string {
  if (id.length <= MAX_KEY_LENGTH && id.isWellFormed() && !id.includes('\0')) return id;
  return `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`;
}

const suffix = sql.lit(ATTACHMENT_SUFFIX_LENGTH);

/**
 * Selects the key of what Slack deletes together with a transfer's file: the file's own, or that of
 * the email which it is attached to (`emailIdOf`, as SQL).
 */
export const DELETED_AS = sql<string>`(case
  when transfers.slack_file_id like ${sql.lit(`_%#${'_'.repeat(ATTACHMENT_SUFFIX_LENGTH - 1)}`)}
  then substr(transfers.slack_file_id, 1, length(transfers.slack_file_id) - ${suffix})
  else transfers.slack_file_id end)`;

/** Returns the key that stands for a message within its workspace. */
export function messageKey({ channel, ts }: Pick<MessageRef, 'channel' | 'ts'>): string {
  return `${channel}/${ts}`;
}

/**
 * Selects the transfers that hold the place of their name and size in their folder: their create is
 * open or their record is looked for, also if they were refused before the outcome was known. A
 * transfer whose create returned a record of another size holds none.
 */
export const RESERVES_NAME = sql<boolean>`(state in ('creating', 'created')
  or (refused_in = 'creating' and problem <> 'RECORD_SIZE_MISMATCH'))`;

/** Selects transfers that wait for their upload or create, or were refused while they did. */
export const UNSENT = sql<boolean>`(state in ('recorded', 'uploaded')
  or refused_in in ('recorded', 'uploaded'))`;

/** Selects the transfers to upload or create, due now or later. */
export const FILING = sql<boolean>`due_at is not null and state in ('recorded', 'uploaded')`;

/** Selects the open creates, and transfers whose record is looked for before they are sent. */
export const OPEN = sql<boolean>`due_at is not null
  and (state in ('creating', 'created') or earlier is not null)`;

/**
 * Joins a share (`own`) with all shares of its message (`same`): the message's own, and one for each
 * folder that somebody saved its files to by hand. Two may lead to the same folder; a file goes
 * there once.
 */
export const OF_ONE_MESSAGE = sql`shares as own
  join shares as same on same.team = own.team and same.channel = own.channel and same.ts = own.ts`;

/** Selects transfers whose message was saved by hand to any folder. */
export const OF_SAVED_MESSAGE = sql<boolean>`exists (select 1 from ${OF_ONE_MESSAGE}
  where own.id = transfers.share_id and same.saved_by is not null)`;

/** Selects the transfers of messages' own shares, not those of files saved by hand. */
export const OF_OWN_SHARE = sql<boolean>`exists (select 1 from shares
  where id = share_id and saved_to = '')`;

/** The columns of a transfer of which the service has nothing. */
export const NOT_SENT = {
  attachmentId: null,
  uploadedAt: null,
  creatingSince: null,
  answeredAt: null,
  alone: 0,
  creates: 0,
  lastRecord: null,
};

/** Makes due what waits for the places (name, size, folder) of these transfers: see RESERVES_NAME. */
export async function wakeTwins(trx: Db, ids: readonly number[], now: number): Promise<void> {
  const places = sql`select project_id, folder_id, name, byte_size from transfers as leaving
    where leaving.id in (${sql.join(ids)})`;
  await trx
    .updateTable('transfers')
    .set({ dueAt: now })
    .where('state', '=', sql.lit('uploaded'))
    .where(sql<boolean>`(project_id, folder_id, name, byte_size) in (${places})`)
    .where('leaseToken', 'is', null)
    .where('dueAt', '>', now)
    .execute();
}

/** Returns a share's transfers, in the order of its files, except those that are duplicates. */
export async function transfersOfShare(db: Db, shareId: number): Promise<Transfer[]> {
  return (await selectOfShare(db, { shareId })).map(toTransfer);
}

const selectOfShare = prepared((db, { shareId }: { shareId: number }) => {
  const own = db.selectFrom('transfers').selectAll().where('shareId', '=', shareId);
  const shown = own.where('state', '<>', sql.lit('duplicate'));
  return shown.orderBy('position').orderBy('id').compile();
});

/** Places in the queue beyond this are not counted. */
const MAX_COUNTED = 1_000;

/**
 * Returns how many transfers of its queue come before this one, at most MAX_COUNTED; without those that
 * wait for something else than their turn.
 */
export async function countAhead(db: Db, { id, queue }: Transfer): Promise<number> {
  const [row] = await selectAhead(db, { id, queue });
  return row?.count ?? 0;
}

const selectAhead = prepared((db, { id, queue }: Pick<Transfer, 'id' | 'queue'>) =>
  sql<{ count: number }>`select cast(count(*) as integer) as count
    from (select id from transfers where queue = ${queue} and ${FILING} and problem is null and id < ${id}
      limit ${MAX_COUNTED}) as ahead`.compile(db),
);
