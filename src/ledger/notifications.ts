import { sql, type UpdateObject } from 'kysely';
import type { MessageRef } from '../transfers/index.ts';
import { locked } from './dialect.ts';
import { type Claim, claimRow, heldBy, type Lease } from './lease.ts';
import { anyRow, inChunks } from './rows.ts';
import type { Db, ReportRow, ShareRow, Tables } from './schema.ts';
import { atomically } from './shared-commits.ts';

/**
 * Shares and reports keep one message in Slack up to date. A change makes the row due; who claims
 * it renders it from its transfers, posts or edits, and ends the claim. A crash's lease runs out by
 * itself, for what was sent may reach Slack after the crash. `version` counts the changes: one that
 * came meanwhile makes the row due again.
 */
export type NotifyingTable = 'shares' | 'reports';

export interface NotificationClaim extends Claim {
  table: NotifyingTable;
}

/** A share's transfers changed: its line, and the report that speaks for it, are due. Returns its message. */
export async function shareChanged(db: Db, id: number, now: number): Promise<MessageRef> {
  const { reportId, ...message } = await linesChanged(db, [id], now).executeTakeFirstOrThrow();
  if (reportId) await reportChanged(db, reportId, now);
  return message;
}

/**
 * The shares of these transfers changed, each once; returns how many transfers there are. All shares
 * come before their reports, both in the order of their numbers: who changes several never waits for
 * one who waits for them.
 */
export async function sharesChanged(
  db: Db,
  transfers: readonly { shareId: number }[],
  now: number,
): Promise<number> {
  const ids = ascending(transfers.map(({ shareId }) => shareId));
  const shares = await inChunks(ids, (some) => linesChanged(db, some, now).execute());
  const reports = ascending(shares.flatMap(({ reportId }) => reportId ?? []));
  for (const id of reports) await reportChanged(db, id, now);
  return transfers.length;
}

/** Changes transfers, whose shares `change` returns, and then those shares; returns how many transfers. */
export function changeTransfers(
  db: Db,
  now: number,
  change: (trx: Db) => { execute(): Promise<{ shareId: number }[]> },
): Promise<number> {
  return atomically(db, async (trx) => sharesChanged(trx, await change(trx).execute(), now));
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
    .returning(['team', 'channel', 'ts', 'reportId']);
}

/** A report's shares changed. One that is due already stays due then: it is not edited for each. */
export function reportChanged(db: Db, id: number, now: number): Promise<void> {
  const dueAt = sql<number>`coalesce(due_at, cast(${now} as bigint))`;
  return changeReport(db, id, { ...changed(now), dueAt });
}

/** The lines of files on their way are due: a process that ended may have left them long behind. */
export function openLinesDue(db: Db, now: number): Promise<void> {
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

/** Somebody waits for what a report says now. */
export function reportDue(db: Db, id: number, now: number): Promise<void> {
  return changeReport(db, id, changed(now));
}

/** A report ends before its end, and somebody waits to hear of it. */
export function reportStopped(db: Db, id: number, now: number): Promise<void> {
  return changeReport(db, id, { ...changed(now), stopped: 1 });
}

type ReportChanges = UpdateObject<Tables, 'reports'>;

async function changeReport(db: Db, id: number, changes: ReportChanges): Promise<void> {
  await db.updateTable('reports').set(changes).where('id', '=', id).execute();
}

// While somebody notifies, `dueAt` is the end of the lease and must stand. What failed was to say
// something else: failures are counted anew, so that many changes do not use up all tries.
function changed(now: number) {
  return {
    version: sql<number>`version + 1`,
    failures: 0,
    dueAt: sql<number>`case when lease_token is null then cast(${now} as bigint) else due_at end`,
  };
}

/** Claims a share that is due. */
export function claimShare(db: Db, lease: Lease): Promise<ShareRow | undefined> {
  return claimRow(db, 'shares', { kind: 'shares', lease });
}

/** Claims a report that is due. */
export function claimReport(db: Db, lease: Lease): Promise<ReportRow | undefined> {
  return claimRow(db, 'reports', { kind: 'reports', lease });
}

/** Written before the first post: from here on a crash means that the post must be looked for. */
export function beginReply(db: Db, claim: NotificationClaim): Promise<boolean> {
  return anyRow(ofClaim(db, claim).set({ replyBegun: 1 }).returning('id'));
}

/** The first post was surely not taken: nothing is to be looked for. */
export async function cancelReply(db: Db, claim: NotificationClaim): Promise<void> {
  await ofClaim(db, claim).set({ replyBegun: 0 }).where('replyTs', 'is', null).execute();
}

/** The message that a share keeps up to date is in another conversation than the share's. */
export async function recordReplyIn(
  db: Db,
  shareId: number,
  { channel: replyChannel, ts: replyTs }: { channel: string; ts: string },
): Promise<void> {
  await db.updateTable('shares').set({ replyChannel, replyTs }).where('id', '=', shareId).execute();
}

/** Written before Slack is asked to put a reaction on a share's message. */
export async function beginReaction(db: Db, shareId: number, reactionBegun: string): Promise<void> {
  await db.updateTable('shares').set({ reactionBegun }).where('id', '=', shareId).execute();
}

/** What was done in Slack under a claim: where the message was posted, and a share's reaction. */
export type DoneInSlack = Partial<Pick<ShareRow, 'replyTs' | 'reaction' | 'reactionBegun'>>;

export interface Notified {
  /** Default: nothing. */
  done?: DoneInSlack;
  /** The version that was rendered; a later one makes a share due at once, a report by `againAt`. */
  version: number;
  /** Of what the message says now; null while there is none, or nobody knows what it says. */
  fingerprint: string | null;
  /** When to look again though nothing changed; null when all is said. */
  againAt: number | null;
  failed: boolean;
  now: number;
}

/**
 * Ends the claim. Whoever has it by now keeps the message where this one put it; and what this one said last,
 * or its reaction, may stand in place of what is newer: it is said anew.
 */
export async function finishNotification(
  db: Db,
  claim: NotificationClaim,
  { version, fingerprint, againAt, failed, now, done = {} }: Notified,
): Promise<void> {
  const again = sql<number>`cast(${againAt} as bigint)`;
  const atOnce = sql<number>`cast(${now} as bigint)`;
  const orLater = claim.table === 'reports' ? sql`coalesce(${again}, ${atOnce})` : atOnce;
  // One that was put there late meanwhile is still to be taken off: see below.
  const begun = sql<null>`case when version <> ${version} then reaction_begun end`;
  const row = await ofClaim(db, claim)
    .set({
      ...done,
      ...(done.reactionBegun === null && { reactionBegun: begun }),
      leaseToken: null,
      attempts: 0,
      // What somebody said late meanwhile may stand over it: see below.
      fingerprint: sql<string>`case when version = ${version} then cast(${fingerprint} as text) end`,
      failures: failed ? sql<number>`failures + 1` : 0,
      dueAt: sql<number>`case when version = ${version} or ${failed ? 1 : 0} = 1
        then ${again} else ${orLater} end`,
    })
    .returning('id')
    .executeTakeFirst();
  if (row) return;
  const { replyTs, reaction } = done;
  const left = { ...(replyTs && { replyTs }), ...(reaction && { reactionBegun: reaction }) };
  await db
    .updateTable(claim.table)
    .set({ ...left, ...changed(now), fingerprint: null })
    .where('id', '=', claim.id)
    .execute();
}

function ofClaim(db: Db, claim: NotificationClaim) {
  return db.updateTable(claim.table).where(heldBy(claim));
}
