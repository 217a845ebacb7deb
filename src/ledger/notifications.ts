import { type RawBuilder, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { MessageRef } from '../transfers/index.ts';
import { type Claim, endJob, enqueue, enqueueAll, lockIfHeld } from './jobs.ts';
import { atomically, inChunks, prepared } from './run-statements.ts';
import type { Db, ShareRow, Tables } from './schema.ts';
import { ON_THEIR_WAY, reschedule } from './transfer.ts';

/**
 * Shares and reports each keep one message in Slack up to date. A change enqueues their job; its run
 * renders the message from the transfers, and posts or edits it. A lease left by a crash runs out by
 * itself, because a request may reach Slack after the crash.
 */
export type NotifyingTable = 'shares' | 'reports';

export interface NotificationClaim extends Claim {
  table: NotifyingTable;
}

/** How long after a change its report is due, in milliseconds: not every change edits it. */
const REPORT_AFTER_MS = 5_000;

/**
 * The queues of shares' messages in order of precedence: first those without a reaction of ours, last
 * those that a report covers.
 */
export const SHARE_QUEUES = ['1', '2', '3'] as const;

const SHARE_QUEUE = sql`case when report_id is not null then '3' when reaction is null then '1'
  else '2' end`;

/** Enqueues the messages of these shares. */
export function enqueueShares(trx: Db, which: RawBuilder<unknown>, dueAt: number): Promise<void> {
  return enqueueAll(
    trx,
    sql`select 'share', cast(id as text), cast(null as text), ${SHARE_QUEUE}, cast(${dueAt} as bigint)
      from shares where ${which} order by id`,
  );
}

/** Makes due a changed share's line and the report that covers it. Returns the share's message. */
export async function noteShareChanged(db: Db, shareId: number, now: number): Promise<MessageRef> {
  const [message] = await noteSharesChanged(db, [{ shareId }], now);
  if (!message) throw new RangeError(`there is no share ${shareId}`);
  return message;
}

/**
 * Makes due the changed shares of these transfers, each once; returns the message of each transfer.
 * Enqueues all shares before their reports, both in the order of their identifiers, so that two
 * callers never wait for each other.
 */
export async function noteSharesChanged(
  db: Db,
  transfers: readonly { shareId: number }[],
  now: number,
): Promise<MessageRef[]> {
  const ids = ascending(transfers.map(({ shareId }) => shareId));
  const shares = await inChunks(ids, async (some) => {
    const these = sql`id in (${sql.join(some)})`;
    await enqueueShares(db, sql`(${these} or id in (${ownOfSaved(some)}))`, now);
    const columns = ['id', 'team', 'channel', 'ts', 'reportId'] as const;
    return db.selectFrom('shares').select(columns).where('id', 'in', some).execute();
  });
  const reports = ascending(shares.flatMap(({ reportId }) => reportId ?? []));
  for (const id of reports) await noteReportChanged(db, id, now);
  const messages = new Map(shares.map(({ id, reportId: _, ...message }) => [id, message]));
  return transfers.flatMap(({ shareId }) => messages.get(shareId) ?? []);
}

/** Selects the messages' own shares, which may show the files of these shares that somebody saved by hand. */
function ownOfSaved(ids: readonly number[]): RawBuilder<unknown> {
  return sql`select own.id from shares as saved join shares as own on own.team = saved.team
    and own.channel = saved.channel and own.ts = saved.ts and own.saved_to = ''
    where saved.id in (${sql.join(ids)}) and saved.saved_to <> ''`;
}

/**
 * Runs `change` and makes due the shares of the transfers that it changed, all or nothing; returns
 * the message of each transfer.
 */
export function changeTransfers(
  db: Db,
  now: number,
  change: (trx: Db) => Promise<{ shareId: number }[]>,
): Promise<MessageRef[]> {
  return atomically(db, async (trx) => noteSharesChanged(trx, await change(trx), now));
}

type TransferUpdate = UpdateQueryBuilder<Tables, 'transfers', 'transfers', UpdateResult>;

/**
 * Runs an update of transfers as changeTransfers does, and has their jobs fit their states, due at
 * `dueAt` if they are open: see reschedule. Returns how many it changed.
 */
export function updateTransfers(
  db: Db,
  now: number,
  update: TransferUpdate,
  dueAt?: RawBuilder<unknown>,
): Promise<number> {
  const returning = update.returning(['id', 'shareId']);
  return atomically(db, async (trx) => {
    const { rows } = await trx.executeQuery(returning);
    const ids = rows.map(({ id }) => id);
    await reschedule(trx, ids, dueAt ? { now, dueAt } : { now });
    return (await noteSharesChanged(trx, rows, now)).length;
  });
}

function ascending(ids: Iterable<number>): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** Has a changed report brought up to date soon. */
export function noteReportChanged(db: Db, id: number, now: number): Promise<void> {
  return enqueueReport(db, id, now + REPORT_AFTER_MS);
}

export function enqueueReport(db: Db, id: number, dueAt: number): Promise<void> {
  return enqueue(db, { kind: 'report', key: String(id), dueAt });
}

/** Makes due the posted lines of files on their way: an ended process may have left them stale. */
export function makeOpenLinesDue(db: Db, now: number): Promise<void> {
  const onTheirWay = sql`id in (select share_id from transfers where ${ON_THEIR_WAY})`;
  return atomically(db, (trx) =>
    enqueueShares(trx, sql`${onTheirWay} and reply_ts is not null`, now),
  );
}

/** Selects the shares of which something is shown in Slack, or may be, now or in a moment. */
export const IS_SHOWN = sql<boolean>`(reply_ts is not null or reply_begun = 1
  or reaction is not null or reaction_begun is not null or exists (select 1 from jobs
    where kind = 'share' and key = cast(shares.id as text) and lease_token is not null))`;

/**
 * Makes a report due at `now`, and with it the shown lines of its shares: it takes over their files or,
 * with `stopped`, ends early.
 */
export async function makeReportDue(
  db: Db,
  id: number,
  { now, stopped }: { now: number; stopped?: 1 },
): Promise<void> {
  await enqueueShares(db, sql`report_id = ${id} and ${IS_SHOWN}`, now);
  if (stopped) await db.updateTable('reports').set({ stopped }).where('id', '=', id).execute();
  await enqueueReport(db, id, now);
}

/** Records that the first post begins; a crash has it looked for. False when the claim is lost. */
export async function beginReply(db: Db, { table, ...claim }: NotificationClaim): Promise<boolean> {
  return atomically(db, async (trx) => {
    if (!(await lockIfHeld(trx, claim.token))) return false;
    await markReplyBegun(trx, { table, id: claim.id });
    return true;
  });
}

const markReplyBegun = prepared((db, { table, id }: { table: NotifyingTable; id: number }) =>
  db.updateTable(table).set({ replyBegun: 1 }).where('id', '=', id).compile(),
);

/** Records a reaction before Slack is asked to add it to a share's message, or to remove it. */
export async function beginReaction(db: Db, shareId: number, name: string): Promise<void> {
  await markReactionBegun(db, { shareId, name });
}

const markReactionBegun = prepared((db, { shareId, name }: { shareId: number; name: string }) =>
  db.updateTable('shares').set({ reactionBegun: name }).where('id', '=', shareId).compile(),
);

/**
 * What a claim's holder did in Slack: where it posted the message and what that says now, or that
 * the post which it began certainly was not accepted, so that it is not looked for; and a share's
 * reaction.
 */
export type DoneInSlack = Partial<
  Pick<ShareRow, 'replyTs' | 'replyChannel' | 'replyBegun' | 'fingerprint' | 'reaction'>
>;

interface Notified {
  /** Default: nothing. */
  done?: DoneInSlack;
  /** When the row is due again without a change; null for never. */
  againAt: number | null;
  /** Whether a call failed: it may have taken effect, so the message's content is unknown. */
  failed: boolean;
  now: number;
}

/**
 * Ends the claim. If it is lost, the new holder keeps the message where this one posted it, and the
 * row is due again: this one's late text or reaction may have replaced newer ones.
 */
export function finishNotification(
  db: Db,
  { table, id, token }: NotificationClaim,
  { failed, done = {}, againAt, now }: Notified,
): Promise<void> {
  return atomically(db, async (trx) => {
    const job = await endJob(trx, { token }, { dueAt: againAt, unfinished: failed });
    if (!job) return leaveToNext(trx, { table, id }, { done, now });
    // The row changed meanwhile: a holder that lost its claim may have put another text or reaction
    // in place of this one's.
    const isChanged = job.againAt !== null;
    await writeNotified(trx, {
      ...{ table, id, ...done },
      ...('reaction' in done && !isChanged && { reactionBegun: null }),
      ...((isChanged || failed) && { fingerprint: null }),
    });
  });
}

type Written = { table: NotifyingTable; id: number } & DoneInSlack &
  Partial<Pick<ShareRow, 'reactionBegun'>>;

async function writeNotified(trx: Db, { table, id, ...columns }: Written): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await trx.updateTable(table).set(columns).where('id', '=', id).execute();
}

async function leaveToNext(
  trx: Db,
  { table, id }: Pick<Written, 'table' | 'id'>,
  { done, now }: { done: DoneInSlack; now: number },
): Promise<void> {
  const { replyTs, replyChannel, reaction } = done;
  const left = {
    ...(replyTs !== undefined && { replyTs }),
    ...(replyChannel !== undefined && { replyChannel }),
    ...(reaction && { reactionBegun: reaction }),
  };
  await writeNotified(trx, { table, id, ...left, fingerprint: null });
  if (table === 'shares') await enqueueShares(trx, sql`id = ${id}`, now);
  else await enqueueReport(trx, id, now);
}
