import { sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { MessageRef } from '../transfers/index.ts';
import { type Claim, ENDED, held } from './lease.ts';
import { atomically, inChunks, locked, prepared } from './run-statements.ts';
import type { Db, ShareRow, Tables } from './schema.ts';

/**
 * Shares and reports each keep one message in Slack up to date. A change makes the row due; the
 * worker that claims it renders the message from its transfers, posts or edits it, and ends the
 * claim. A lease left by a crash runs out by itself, because a request may reach Slack after the
 * crash. `version` counts the changes: one during a claim makes the row due again.
 */
export type NotifyingTable = 'shares' | 'reports';

export interface NotificationClaim extends Claim {
  table: NotifyingTable;
}

/** Makes due a changed share's line and the report that covers it. Returns the share's message. */
export async function noteShareChanged(db: Db, shareId: number, now: number): Promise<MessageRef> {
  const [message] = await noteSharesChanged(db, [{ shareId }], now);
  if (!message) throw new RangeError(`there is no share ${shareId}`);
  return message;
}

/**
 * Makes due the changed shares of these transfers, each once; returns the message of each transfer.
 * Writes all shares before their reports, both in the order of their identifiers, so that two
 * callers never wait for each other.
 */
export async function noteSharesChanged(
  db: Db,
  transfers: readonly { shareId: number }[],
  now: number,
): Promise<MessageRef[]> {
  const ids = ascending(transfers.map(({ shareId }) => shareId));
  const shares = await inChunks(ids, (some) => linesChanged(db, some, now).execute());
  const reports = ascending(shares.flatMap(({ reportId }) => reportId ?? []));
  for (const id of reports) await noteReportChanged(db, id, now);
  const messages = new Map(shares.map(({ id, reportId: _, ...message }) => [id, message]));
  return transfers.flatMap(({ shareId }) => messages.get(shareId) ?? []);
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

/** Runs an update of transfers as changeTransfers does; returns how many it changed. */
export async function updateTransfers(
  db: Db,
  now: number,
  update: TransferUpdate,
): Promise<number> {
  const returning = update.returning('shareId');
  const change = async (trx: Db) => (await trx.executeQuery(returning)).rows;
  return (await changeTransfers(db, now, change)).length;
}

function ascending(ids: Iterable<number>): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function linesChanged(db: Db, ids: readonly number[], now: number) {
  const inOrder = db.selectFrom('shares').select('id').where('id', 'in', ids).orderBy('id');
  return db
    .updateTable('shares')
    .set(changed(now))
    .where('id', 'in', inOrder.modifyEnd(locked(db, 'shares')))
    .returning(['id', 'team', 'channel', 'ts', 'reportId']);
}

/** Makes a changed report due; one already due keeps its time: not every change edits it. */
export async function noteReportChanged(db: Db, id: number, now: number): Promise<void> {
  const dueAt = sql<number>`coalesce(due_at, cast(${now} as bigint))`;
  const noted = db.updateTable('reports').set({ ...changed(now), dueAt });
  await noted.where('id', '=', id).execute();
}

/** Makes due the posted lines of files on their way: an ended process may have left them stale. */
export function makeOpenLinesDue(db: Db, now: number): Promise<void> {
  return atomically(db, async (trx) => {
    const onTheirWay = trx.selectFrom('transfers').select('shareId').where('dueAt', 'is not', null);
    await trx
      .updateTable('shares')
      .set(changed(now))
      .where('id', 'in', onTheirWay)
      .where('replyTs', 'is not', null)
      .execute();
  });
}

/** Selects the shares of which something is shown in Slack, or may be, now or in a moment. */
export const IS_SHOWN = sql<boolean>`(reply_ts is not null or reply_begun = 1
  or reaction is not null or reaction_begun is not null or lease_token is not null)`;

/**
 * Makes a report due at `now`, even if it was due later, and with it the shown lines of its shares:
 * it takes over their files or, with `stopped`, ends early.
 */
export async function makeReportDue(
  db: Db,
  id: number,
  { now, ...end }: { now: number; stopped?: 1 },
): Promise<void> {
  const lines = db.updateTable('shares').set(changed(now)).where('reportId', '=', id);
  await lines.where(IS_SHOWN).execute();
  const report = db.updateTable('reports').set({ ...changed(now), ...end });
  await report.where('id', '=', id).execute();
}

// While the row is claimed, `dueAt` is the lease's end and must stay. Failures concern the old
// content: they restart at 0, so that many changes do not use up all tries.
function changed(now: number) {
  return {
    version: sql<number>`version + 1`,
    failures: 0,
    dueAt: sql<number>`case when lease_token is null then cast(${now} as bigint) else due_at end`,
  };
}

/** Records that the first post begins; a crash has it looked for. False when the claim is lost. */
export async function beginReply(db: Db, claim: NotificationClaim): Promise<boolean> {
  return (await markReplyBegun(db, claim)).length > 0;
}

const markReplyBegun = prepared((db, claim: NotificationClaim) =>
  held(db, claim.table, claim).set({ replyBegun: 1 }).returning('id').compile(),
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
  /** The rendered version; a later one makes a share due at once, a report at `againAt`. */
  version: number;
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
export async function finishNotification(
  db: Db,
  claim: NotificationClaim,
  { failed, done = {}, ...rest }: Notified,
): Promise<void> {
  const [row] = await endNotification(db, { ...claim, ...rest, failed: failed ? 1 : 0, ...done });
  if (row) return;
  // The claim is lost: this makes the version later.
  const { replyTs, replyChannel, reaction } = done;
  const left = { replyTs, replyChannel, ...(reaction && { reactionBegun: reaction }) };
  await db
    .updateTable(claim.table)
    .set({ ...left, ...changed(rest.now), fingerprint: null })
    .where('id', '=', claim.id)
    .execute();
}

interface NotificationEnd
  extends NotificationClaim,
    DoneInSlack,
    Omit<Notified, 'done' | 'failed'> {
  /** 1 or 0. */
  failed: number;
}

const endNotification = prepared((db, end: NotificationEnd) => {
  const { id, token, table, version, againAt, failed, now, ...done } = end;
  const again = sql<number>`cast(${againAt} as bigint)`;
  const atOnce = sql<number>`cast(${now} as bigint)`;
  const orLater = table === 'reports' ? sql`coalesce(${again}, ${atOnce})` : atOnce;
  // At a later version, a holder that lost its claim may have added a reaction: it stays noted.
  const begun = sql<null>`case when version <> ${version} then reaction_begun end`;
  const said = 'fingerprint' in done ? sql`cast(${done.fingerprint} as text)` : sql`fingerprint`;
  return held(db, table, { id, token })
    .set({
      ...done,
      ...('reaction' in done && { reactionBegun: begun }),
      ...ENDED,
      // At a later version, the text of such a holder may have replaced this one.
      fingerprint: sql<string>`case when version = ${version} and ${failed} = 0 then ${said} end`,
      failures: sql<number>`case when ${failed} = 1 then failures + 1 else 0 end`,
      dueAt: sql<number>`case when version = ${version} or ${failed} = 1
        then ${again} else ${orLater} end`,
    })
    .returning('id')
    .compile();
});
