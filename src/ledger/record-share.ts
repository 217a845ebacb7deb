import { createHash } from 'node:crypto';
import type { Insertable, Kysely } from 'kysely';
import {
  type Destination,
  fileName,
  queueOf,
  type Share,
  type ShareOrigin,
} from '../transfers/index.ts';
import { chunks } from './chunks.ts';
import type { Tables } from './schema.ts';
import { atomically } from './shared-commits.ts';

// Most shares are filed by then: one word about the end, none about the beginning.
const QUICK_MS = 1_000;
/** Transfers to a statement. */
const ROWS = 100;

export interface ShareToRecord {
  share: Share;
  origin: ShareOrigin;
  /** Null: the channel has no destination; its transfers are parked. */
  destination: Destination | null;
  /** The report that speaks for the share, for those that no event brought. */
  reportId: number | null;
  now: number;
}

export interface Recorded {
  shareId: number;
  /** How many of the share's files were not in the ledger before. */
  transfers: number;
}

/**
 * Records a share and a transfer for each of its files, in one transaction. What is recorded
 * already stays as it is, so that a share may be recorded any number of times. Rejects with
 * LEDGER_UNRECORDABLE where the database refuses what the share says, as it would again.
 */
export function recordShare(db: Kysely<Tables>, input: ShareToRecord): Promise<Recorded> {
  return atomically(db, (trx) => recordShareIn(trx, input));
}

/** Records a share as part of a transaction. */
export async function recordShareIn(trx: Kysely<Tables>, input: ShareToRecord): Promise<Recorded> {
  const shareId = (await insertShare(trx, input)) ?? (await findShare(trx, input.share));
  const transfers = await insertTransfers(trx, shareId, input);
  return { shareId, transfers };
}

async function insertShare(trx: Kysely<Tables>, input: ShareToRecord): Promise<number | undefined> {
  const { team, channel, ts, threadTs, userId } = input.share;
  const row = await trx
    .insertInto('shares')
    .values({
      team,
      channel,
      ts,
      threadTs,
      userId,
      origin: input.origin,
      reportId: input.reportId,
      recordedAt: input.now,
      dueAt: input.destination ? input.now + QUICK_MS : null,
    })
    .onConflict((conflict) => conflict.columns(['team', 'channel', 'ts']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

async function findShare(trx: Kysely<Tables>, share: Share): Promise<number> {
  const { id } = await trx
    .selectFrom('shares')
    .select('id')
    .where('team', '=', share.team)
    .where('channel', '=', share.channel)
    .where('ts', '=', share.ts)
    .executeTakeFirstOrThrow();
  return id;
}

async function insertTransfers(
  trx: Kysely<Tables>,
  shareId: number,
  { share, origin, destination, now }: ShareToRecord,
): Promise<number> {
  const rows = share.files.map((file, position) => ({
    shareId,
    queue: queueOf(share, origin === 'backfill'),
    position,
    slackFileId: indexKey(file.id),
    slackFile: JSON.stringify(file),
    slackSize: file.size,
    name: fileName(file),
    userId: share.userId,
    state: destination ? ('recorded' as const) : ('parked' as const),
    projectId: destination?.projectId ?? null,
    folderId: destination?.folderId ?? null,
    dueAt: destination ? now : null,
    recordedAt: now,
  }));
  let inserted = 0;
  for (const some of chunks(rows, ROWS)) inserted += await insertRows(trx, some);
  return inserted;
}

async function insertRows(
  trx: Kysely<Tables>,
  rows: Insertable<Tables['transfers']>[],
): Promise<number> {
  const inserted = await trx
    .insertInto('transfers')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['shareId', 'slackFileId']).doNothing())
    .returning('id')
    .execute();
  return inserted.length;
}

/** Longer than any identifier of Slack's, and short enough for every index. */
const LONGEST = 200;

/**
 * `text` where every database takes it as it is and every index has room for it; a fingerprint of
 * what is too long, has a NUL character or is no Unicode. Different texts have different keys.
 */
function indexKey(text: string): string {
  if (text.length <= LONGEST && text.isWellFormed() && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(JSON.stringify(text)).digest('hex')}`;
}
