import { sql } from 'kysely';
import {
  type ChannelRef,
  channelOf,
  type Destination,
  emailIdOf,
  FILED_MARK,
  fileName,
  folderNumber,
  isOnItsWay,
  type MessageRef,
  queueOf,
  queuePartOf,
  type Share,
  type ShareOrigin,
  type TransferState,
} from '../core/index.ts';
import { lockLink } from './channels.ts';
import { reopenDeletions } from './deletions.ts';
import { type JobClaim, whileHeld } from './jobs.ts';
import { isUnrecordable, type LedgerError, toLedgerError } from './ledger-error.ts';
import { enqueueShares, noteReportChanged, noteSharesChanged } from './messages.ts';
import { createReport } from './reports.ts';
import { anyRow, atomically, inChunks } from './run-statements.ts';
import type { Db, TransferRow } from './schema.ts';
import { fileKey, messageKey, messageRef, NOT_SENT, reschedule, scheduleNew } from './transfer.ts';

// Most shares are filed by then: one message about the end, none about the start.
const QUICK_MS = 1_000;

export interface ShareToRecord {
  share: Share;
  origin: ShareOrigin;
  /** Null: its transfers are parked, those of an event only if its channel has no link by then. */
  destination: Destination | null;
  /** The report that covers a share that no event brought; null for others. */
  reportId: number | null;
  /** Who saved the files to the destination, for a share of origin `saved`. Default: null. */
  savedBy?: string | null;
  now: number;
}

interface Recorded {
  shareId: number;
  /** How many of the share's files were not in the ledger before. */
  transfers: number;
  /** The first of those transfers that was parked; null for none. */
  firstParkedId: number | null;
}

/**
 * Records shares and a transfer for each of their files, in one transaction. Idempotent: what is
 * already recorded stays as it is. A known share that gets more files has its line made due.
 * Rejects with LEDGER_UNRECORDABLE when the database refuses a share's data, as it would again.
 */
export function recordShares(db: Db, given: readonly ShareToRecord[]): Promise<Recorded[]> {
  const now = given[0]?.now ?? 0;
  return atomically(db, async (trx) => {
    const inputs = await withLinks(trx, given);
    const { ids, known } = await insertShares(trx, inputs.map(shareRow));
    await noteMarks(trx, inputs, { ids, known });
    const isNew = (id: number, nth: number) => !known.has(id) && inputs[nth]?.destination != null;
    await inChunks(ids.filter(isNew), (some) =>
      enqueueShares(trx, sql`id in (${sql.join(some)})`, now + QUICK_MS),
    );
    const rows = inputs.flatMap((input, nth) => transfersOf(input, ids[nth] ?? 0, known));
    const inserted = await insertTransfers(trx, rows);
    // One that was there may be that of a file saved by hand.
    if (inserted.length < rows.length) await ownSaved(trx, rows);
    const again = await saveAgain(trx, rows, new Set(inserted.map(({ id }) => id)));
    const transfers = [...inserted, ...again];
    const open = transfers.filter(({ state }) => state === 'recorded');
    await scheduleNew(trx, open, { now });
    const added = transfers.filter(({ shareId }) => known.has(shareId));
    await noteSharesChanged(trx, added, now + QUICK_MS);
    const byShare = Map.groupBy(transfers, ({ shareId }) => shareId);
    // An event may arrive after the one that reports its message or file deleted.
    if (await anyDeleted(trx, inputs)) {
      const shares = ids.map((shareId) => ({ shareId }));
      await reopenDeletions(trx, shares, now);
    }
    return ids.map((shareId) => {
      const own = byShare.get(shareId) ?? [];
      // A share that is in `inputs` twice was new the first time.
      byShare.delete(shareId);
      const parked = own.find(({ state }) => state === 'parked');
      return { shareId, transfers: own.length, firstParkedId: parked?.id ?? null };
    });
  });
}

/** Records a share as recordShares does. */
export async function recordShare(db: Db, given: ShareToRecord): Promise<Recorded> {
  const [recorded] = await recordShares(db, [given]);
  if (!recorded) throw new Error('no share was recorded');
  return recorded;
}

/**
 * Gives an event's share, if its channel had no folder a moment ago, that of the link which it has
 * by now. A channel that still has none is not linked before the transaction ends: whoever links it
 * is then asked about the files parked here.
 */
async function withLinks(trx: Db, inputs: readonly ShareToRecord[]): Promise<ShareToRecord[]> {
  const isUnlinked = ({ origin, destination }: ShareToRecord) =>
    origin === 'event' && destination === null;
  const channels = new Set(inputs.filter(isUnlinked).map(({ share }) => queueOf(share)));
  const links = new Map<string, Destination | null>();
  // In one order, so that two callers never wait for each other.
  for (const one of [...channels].sort()) links.set(one, await lockLink(trx, channelOf(one)));
  return inputs.map((input) =>
    isUnlinked(input) ? { ...input, destination: links.get(queueOf(input.share)) ?? null } : input,
  );
}

function shareRow(input: ShareToRecord) {
  const { share, origin, reportId, now, destination, savedBy = null } = input;
  const { team, channel, ts, threadTs, userId } = share;
  const savedTo = origin === 'saved' && destination ? folderNumber(destination) : '';
  const message = { team, channel, ts, threadTs, userId };
  return { ...message, origin, reportId, savedTo, savedBy, recordedAt: now };
}

/** Inserts shares; returns their identifiers, and which of them were in the ledger before. */
async function insertShares(
  trx: Db,
  rows: readonly ReturnType<typeof shareRow>[],
): Promise<{ ids: number[]; known: Set<number> }> {
  const inserted = await inChunks(rows, (some) =>
    trx
      .insertInto('shares')
      .values(some)
      .onConflict((conflict) => conflict.columns(['team', 'channel', 'ts', 'savedTo']).doNothing())
      .returning(['id', 'team', 'channel', 'ts', 'savedTo'])
      .execute(),
  );
  const newIds = new Map(inserted.map((row) => [keyOf(row), row.id]));
  const ids: number[] = [];
  for (const row of rows) ids.push(newIds.get(keyOf(row)) ?? (await findShare(trx, row)));
  const known = new Set(ids);
  for (const id of newIds.values()) known.delete(id);
  return { ids, known };
}

/** Records the reactions of ours that new messages bear. A backfill leaves its messages as they are. */
async function noteMarks(
  trx: Db,
  inputs: readonly ShareToRecord[],
  { ids, known }: { ids: readonly number[]; known: ReadonlySet<number> },
): Promise<void> {
  const rows = inputs.flatMap(({ share, origin }, nth) => {
    const about = ids[nth] ?? 0;
    const isMarked = origin === 'catch-up' && share.isMarked && !known.has(about);
    return isMarked ? { kind: 'share' as const, about, reaction: FILED_MARK } : [];
  });
  const messages = trx.insertInto('messages').onConflict((conflict) => conflict.doNothing());
  await inChunks(rows, (some) => messages.values(some).returning('about').execute());
}

type ShareKey = MessageRef & { savedTo: string };

function keyOf({ team, channel, ts, savedTo }: ShareKey): string {
  return JSON.stringify([team, channel, ts, savedTo]);
}

async function findShare(trx: Db, { team, channel, ts, savedTo }: ShareKey): Promise<number> {
  const { id } = await trx
    .selectFrom('shares')
    .select('id')
    .where((eb) => eb.and({ team, channel, ts, savedTo }))
    .executeTakeFirstOrThrow();
  return id;
}

function transfersOf(
  { share, origin, destination, now }: ShareToRecord,
  shareId: number,
  known: ReadonlySet<number>,
) {
  const first = known.has(shareId)
    ? sql`coalesce((select max(position) + 1 from transfers where share_id = ${shareId}), 0)`
    : sql`0`;
  // The mark of a known share is for the files that it had: an edit may have added another.
  const isMarked = share.isMarked && !known.has(shareId);
  // History may bring what was filed before: the ledger may be new, or an old copy.
  const isFromHistory = origin === 'catch-up' || origin === 'backfill';
  const earlier: TransferRow['earlier'] = isFromHistory ? (isMarked ? 'marked' : 'look') : null;
  return share.files.map((file, index) => ({
    shareId,
    message: messageRef(share),
    own: origin === 'saved' ? 0 : 1,
    queue: queueOf(share, queuePartOf(origin)),
    position: sql<number>`${first} + ${index}`,
    slackFileId: fileKey(file.id),
    slackFile: JSON.stringify(file),
    slackSize: file.size,
    name: fileName(file),
    userId: share.userId,
    state: destination ? ('recorded' as const) : ('parked' as const),
    projectId: destination?.projectId ?? null,
    folderId: destination?.folderId ?? null,
    earlier,
    recordedAt: now,
  }));
}

type NewTransfer = ReturnType<typeof transfersOf>[number];

/** Returns the new transfers. */
function insertTransfers(trx: Db, rows: readonly NewTransfer[]) {
  return inChunks(rows, (some) =>
    trx
      .insertInto('transfers')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'shareId', 'state'])
      .execute(),
  );
}

/** The transfer of a file of a message to a folder, of which there is one at most. */
function wayOf({
  message,
  slackFileId,
  projectId,
  folderId,
}: Pick<TransferRow, 'message' | 'slackFileId' | 'projectId' | 'folderId'>): string {
  return `${message}/${slackFileId} ${projectId}/${folderId}`;
}

/** Makes the message's own those transfers of files saved by hand that go where its files go. */
async function ownSaved(trx: Db, rows: readonly NewTransfer[]): Promise<void> {
  const ways = new Set(rows.filter(({ own }) => own === 1).map(wayOf));
  const messages = [...new Set(rows.map(({ message }) => message))];
  const saved = trx.selectFrom('transfers').selectAll().where('own', '=', 0);
  const known = await inChunks(messages, (some) => saved.where('message', 'in', some).execute());
  for (const one of known.filter((row) => ways.has(wayOf(row))))
    await trx
      .updateTable('transfers')
      .set({ own: 1 })
      .where('id', '=', one.id)
      .where(sql<boolean>`not exists (select 1 from transfers as own where own.own = 1
        and own.message = transfers.message and own.slack_file_id = transfers.slack_file_id)`)
      .execute();
}

/**
 * Of files that are saved by hand: begins again the transfer to that folder of one whose record was
 * deleted, or that was left in Slack, for who saves it; binds to that folder one that is on its way
 * there with its message. Returns these transfers, as the saved share's.
 */
async function saveAgain(trx: Db, rows: readonly NewTransfer[], isNew: ReadonlySet<number>) {
  const taken: { id: number; shareId: number; state: TransferState }[] = [];
  for (const { own, shareId, queue, message, slackFileId, projectId, folderId } of rows) {
    if (own === 1) continue;
    const way = { message, slackFileId, projectId, folderId };
    const row = trx.selectFrom('transfers').select(['id', 'queue', 'state']);
    const there = await row.where((eb) => eb.and(way)).executeTakeFirst();
    if (!there || isNew.has(there.id)) continue;
    const { id } = there;
    // Whoever saves it wants it there, also if it was filed and deleted before.
    const earlier = sql<'look'>`case when earlier is not null then 'look' end`;
    const changed = trx.updateTable('transfers').where('id', '=', id).set({ queue, earlier });
    if (there.state === 'deleted' || there.state === 'parked') {
      const begun = changed.set({
        ...NOT_SENT,
        ...FORGOTTEN,
        shareId,
        state: 'recorded',
        leftInSlack: 0,
      });
      // Nobody has begun it meanwhile.
      if (await anyRow(begun.where('state', '=', there.state).returning('id')))
        taken.push({ id, shareId, state: 'recorded' });
    } else if (isOnItsWay(there) && there.queue !== queue) {
      await changed.execute();
      taken.push({ id, shareId, state: there.state });
    }
  }
  return taken;
}

/**
 * The columns of a transfer whose record was deleted, and counts no more. A list may still show it: as
 * `lastRecord` it is older than what the next create leaves.
 */
const FORGOTTEN = {
  lastRecord: sql<number | null>`record_id`,
  ...{ recordId: null, recordName: null, recordUrl: null, recordCreator: null },
  ...{ deletedBy: null, deletedAt: null, askedAt: null },
};

/**
 * Begins again these transfers, as far as their records were deleted: once each. Returns how many it
 * began.
 */
export function putBack(db: Db, ids: readonly number[], now: number): Promise<number> {
  return atomically(db, async (trx) => {
    const begun = await trx
      .updateTable('transfers')
      .set({ ...NOT_SENT, ...FORGOTTEN, earlier: null, state: 'recorded' })
      .where('id', 'in', ids)
      .where('state', '=', 'deleted')
      .returning(['id', 'shareId'])
      .execute();
    await reschedule(trx, begun, { now });
    await reopenDeletions(trx, begun, now);
    await noteSharesChanged(trx, begun, now);
    return begun.length;
  });
}

/** Whether Slack has reported one of these shares' messages or files as deleted. */
async function anyDeleted(trx: Db, inputs: readonly ShareToRecord[]): Promise<boolean> {
  const keys = inputs.flatMap(({ share }) => [
    messageKey(share),
    ...share.files.map(({ id }) => fileKey(emailIdOf(id))),
  ]);
  const teams = [...new Set(inputs.map(({ share }) => share.team))];
  const deletions = trx.selectFrom('deletions').select('what').where('team', 'in', teams);
  return (await inChunks(keys, (some) => deletions.where('what', 'in', some).execute())).length > 0;
}

interface Found {
  channel: ChannelRef;
  /** The report of the backfill; null for a catch-up, which begins one. */
  reportId: number | null;
  shares: Share[];
  /** Where a catch-up's files go; null for a backfill, whose files are parked. */
  destination: Destination | null;
  now: number;
}

interface RecordedFound {
  /** How many files were new. */
  files: number;
  /** The shares that the database refuses, each with its error: see recordShares. */
  unrecordable: { share: Share; error: LedgerError }[];
}

/**
 * Records what was found in a channel's history, and the report that covers it, all or nothing: after a
 * crash in the middle, a second report would cover the rest. Only if a share is unrecordable is
 * each recorded by itself, so that it does not keep the others out. Rejects with LEASE_LOST when
 * the claim is lost; nothing is recorded from then on.
 */
export async function recordFound(db: Db, claim: JobClaim, found: Found): Promise<RecordedFound> {
  const whileReading = <T>(run: (trx: Db) => Promise<T>) => whileHeld(db, claim, run);
  try {
    const files = await whileReading(async (trx) =>
      recordUnder(trx, await reportOf(trx, found), found),
    );
    return { files, unrecordable: [] };
  } catch (error) {
    // A transaction that other calls share must be rolled back first; each then runs by itself.
    if (!isUnrecordable(error) || db.isTransaction) throw error;
  }
  const reportId = await whileReading((trx) => reportOf(trx, found));
  const recorded: RecordedFound = { files: 0, unrecordable: [] };
  for (const share of found.shares)
    try {
      const one = { ...found, shares: [share] };
      recorded.files += await whileReading((trx) => recordUnder(trx, reportId, one));
    } catch (error) {
      if (!isUnrecordable(error)) throw error;
      recorded.unrecordable.push({ share, error: toLedgerError(error) });
    }
  return recorded;
}

async function reportOf(trx: Db, { channel: ref, reportId, now }: Found): Promise<number> {
  const { team, channel } = ref;
  return reportId ?? (await createReport(trx, { team, channel, kind: 'catch-up', now }));
}

/** Records shares that a report covers, and makes it due; returns how many files were new. */
async function recordUnder(
  trx: Db,
  reportId: number,
  { shares, destination, now }: Omit<Found, 'channel' | 'reportId'>,
): Promise<number> {
  const origin = destination ? 'catch-up' : 'backfill';
  const inputs = shares.map((share) => ({ share, origin, destination, reportId, now }) as const);
  const recorded = await recordShares(trx, inputs);
  await noteReportChanged(trx, reportId, now);
  return recorded.reduce((sum, { transfers }) => sum + transfers, 0);
}
