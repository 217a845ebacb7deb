import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { ReportRow, ShareRow, Tables } from './schema.ts';

/**
 * Shares and reports keep one message in Slack up to date. A change makes the row due; who claims
 * it renders it from its transfers, posts or edits, and ends the claim. A crash's claim runs out by
 * itself, for what was sent may reach Slack after the crash. `tellVersion` counts the changes: one
 * that came meanwhile makes the row due again.
 */
export type Telling = { table: 'shares'; row: ShareRow } | { table: 'reports'; row: ReportRow };
export type TellingTable = Telling['table'];

export interface TellingClaim {
  table: TellingTable;
  id: number;
  token: string;
}

/** A share's transfers changed: its line, and the report that speaks for it, are due. */
export async function shareChanged(db: Kysely<Tables>, id: number, now: number): Promise<void> {
  const row = await db
    .updateTable('shares')
    .set(changed(now))
    .where('id', '=', id)
    .returning('reportId')
    .executeTakeFirst();
  if (row?.reportId) await reportChanged(db, row.reportId, now);
}

/** A report's shares changed. One that is due already stays due then: it is not edited for each. */
export async function reportChanged(db: Kysely<Tables>, id: number, now: number): Promise<void> {
  await db
    .updateTable('reports')
    .set({ ...changed(now), tellAt: sql<number>`coalesce(tell_at, cast(${now} as bigint))` })
    .where('id', '=', id)
    .execute();
}

/** Somebody waits for what a report says now. */
export async function reportDue(db: Kysely<Tables>, id: number, now: number): Promise<void> {
  await db.updateTable('reports').set(changed(now)).where('id', '=', id).execute();
}

// While somebody is telling, `tellAt` is the end of the claim and must stand.
function changed(now: number) {
  return {
    tellVersion: sql<number>`tell_version + 1`,
    tellAt: sql<number>`case when tell_token is null then ${now} else tell_at end`,
  };
}

export interface ToTell {
  now: number;
  claimUntil: number;
  token: string;
}

export interface ShareToTell extends ToTell {
  /** Whether of those shares that a report speaks for; by default of the others. */
  spokenFor?: boolean;
}

/** Claims a share that is due. */
export async function claimShareToTell(
  db: Kysely<Tables>,
  dialect: Dialect,
  { now, claimUntil, token, spokenFor = false }: ShareToTell,
) {
  const which = spokenFor ? sql`report_id is not null` : sql`report_id is null`;
  const due = sql<number>`(select id from shares where tell_at <= ${now} and ${which}
    order by tell_at limit 1 ${dialect.skipLocked})`;
  return db
    .updateTable('shares')
    .set({ tellToken: token, tellAt: claimUntil })
    .where('id', '=', due)
    .returningAll()
    .executeTakeFirst();
}

export async function claimReportToTell(db: Kysely<Tables>, dialect: Dialect, request: ToTell) {
  const due = sql<number>`(select id from reports where tell_at <= ${request.now}
    order by tell_at limit 1 ${dialect.skipLocked})`;
  return db
    .updateTable('reports')
    .set({ tellToken: request.token, tellAt: request.claimUntil })
    .where('id', '=', due)
    .returningAll()
    .executeTakeFirst();
}

/** When the next telling comes due; null when all is told. */
export async function nextTelling(db: Kysely<Tables>, table: TellingTable): Promise<number | null> {
  if (table === 'reports') return nextOf(db, sql`reports where`);
  const own = await nextOf(db, sql`shares where report_id is null and`);
  const spokenFor = await nextOf(db, sql`shares where report_id is not null and`);
  return own !== null && spokenFor !== null ? Math.min(own, spokenFor) : (own ?? spokenFor);
}

async function nextOf(db: Kysely<Tables>, rows: RawBuilder<unknown>): Promise<number | null> {
  const query = sql<{ tellAt: number }>`select tell_at from ${rows} tell_at is not null
    order by tell_at limit 1`;
  return (await query.execute(db)).rows[0]?.tellAt ?? null;
}

/** Written before the first post: from here on a crash means that the post must be looked for. */
export async function beginReply(db: Kysely<Tables>, claim: TellingClaim): Promise<boolean> {
  const row = await db
    .updateTable(claim.table)
    .set({ replyBegun: 1 })
    .where('id', '=', claim.id)
    .where('tellToken', '=', claim.token)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The first post was surely not taken: nothing is to be looked for. */
export async function cancelReply(db: Kysely<Tables>, claim: TellingClaim): Promise<void> {
  await db
    .updateTable(claim.table)
    .set({ replyBegun: 0 })
    .where('id', '=', claim.id)
    .where('tellToken', '=', claim.token)
    .where('replyTs', 'is', null)
    .execute();
}

export async function recordReply(db: Kysely<Tables>, claim: TellingClaim, replyTs: string) {
  await db.updateTable(claim.table).set({ replyTs }).where('id', '=', claim.id).execute();
}

/** Written before Slack is asked to put a reaction on a share's message. */
export async function beginReaction(db: Kysely<Tables>, shareId: number, reactionBegun: string) {
  await db.updateTable('shares').set({ reactionBegun }).where('id', '=', shareId).execute();
}

export async function recordReaction(db: Kysely<Tables>, shareId: number, reaction: string) {
  const values = { reaction, reactionBegun: null };
  await db.updateTable('shares').set(values).where('id', '=', shareId).execute();
}

export interface Told {
  /** The version that was rendered; a later one makes a share due at once, a report by `tellAgainAt`. */
  version: number;
  told: string | null;
  /** When to look again though nothing changed; null when all is said. */
  tellAgainAt: number | null;
  failed: boolean;
  now: number;
}

/** Ends the claim. */
export async function finishTelling(
  db: Kysely<Tables>,
  claim: TellingClaim,
  { version, told, tellAgainAt, failed, now }: Told,
): Promise<void> {
  const again = sql<number>`cast(${tellAgainAt} as bigint)`;
  const changed = claim.table === 'reports' ? sql`coalesce(${again}, ${now})` : sql`${now}`;
  await db
    .updateTable(claim.table)
    .set({
      tellToken: null,
      told,
      tellFailures: failed ? sql<number>`tell_failures + 1` : 0,
      tellAt: sql<number>`case when tell_version = ${version} or ${failed ? 1 : 0} = 1
        then ${again} else ${changed} end`,
    })
    .where('id', '=', claim.id)
    .where('tellToken', '=', claim.token)
    .execute();
}
