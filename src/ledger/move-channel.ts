import { type RawBuilder, sql } from 'kysely';
import { type ChannelRef, queueOf, queuesOf } from '../core/index.ts';
import { type HoldableLink, isChannel, lockLink, toLink } from './channels.ts';
import { dropJobs, enqueue } from './jobs.ts';
import { atomically, inChunks, locked } from './run-statements.ts';
import type { Db, JobKind, Tables } from './schema.ts';
import { fileParked } from './waiting-files.ts';
import { endWatch } from './watches.ts';

/* Slack may give a channel another identifier (https://docs.slack.dev/reference/events/channel_id_changed). */

/**
 * Moves a channel's link and rows to another identifier; idempotent. Rows that the new identifier
 * already has stay, and so does a link made there. Files that were parked for want of a folder since
 * the link was made, under the identifier without it, go to its folder.
 */
export function moveChannel(
  db: Db,
  { team, channel }: ChannelRef,
  { to, now }: { to: string; now: number },
): Promise<void> {
  const move = { team, from: channel, to, now };
  return atomically(db, async (trx) => {
    const link = await moveLink(trx, move);
    // Deletions are found through the shares, so before those move.
    await moveDeletions(trx, move);
    for (const table of ['shares', 'reports'] as const) await moveRows(trx, table, move);
    await moveQueues(trx, move);
    const [before, key] = [queueOf({ team, channel }), queueOf({ team, channel: to })];
    for (const kind of ['catch-up', 'watch'] as const) await dropJobs(trx, kind, sql`${before}`);
    await enqueue(trx, { kind: 'catch-up', key, dueAt: now });
    if (link?.announces) await enqueue(trx, { kind: 'watch', key, dueAt: now });
    // Only now: a share that the new identifier has, too, stays behind, and must not be filed twice.
    if (!link) return;
    const since = link.linkedAt;
    await fileParked(trx, { team, channel: to }, { destination: link, now, since });
  });
}

interface Move {
  team: string;
  from: string;
  to: string;
  now: number;
}

/** Returns the link of the new identifier; null for none, or if there is nothing to move. */
async function moveLink(trx: Db, { team, from, to }: Move): Promise<HoldableLink | null> {
  // Held even if it is new, for files may be being parked there.
  await lockLink(trx, { team, channel: to });
  const either = sql<boolean>`(team = ${team} and channel in (${from}, ${to}))`;
  const both = trx.selectFrom('channels').selectAll().where(either);
  const rows = await both.modifyEnd(locked(trx, 'channels')).execute();
  const old = rows.find(({ channel }) => channel === from);
  if (!old) return null;
  const known = rows.find(({ channel }) => channel === to);
  const stands = known && toLink(known) ? known : null;
  if (stands) await endWatch(trx, old);
  const row = {
    ...(stands ?? old),
    channel: to,
    confirmedTs: earlier(old.confirmedTs, known?.confirmedTs),
    threadsTs: earlier(old.threadsTs, known?.threadsTs),
    joinedTs: earlier(old.joinedTs, known?.joinedTs),
    catchUpSince: earlier(old.catchUpSince, known?.catchUpSince),
  };
  await trx.deleteFrom('channels').where(isChannel(old)).execute();
  // Not made anew: whoever waits for this row would find it gone, and no link.
  await trx.updateTable('channels').set(row).where(isChannel(row)).execute();
  return toLink(row);
}

// The earlier mark is safe: known messages are not recorded twice, skipped ones would be lost.
function earlier(one: string | null, other: string | null = null): string | null {
  return one !== null && (other === null || one < other) ? one : other;
}

async function moveDeletions(trx: Db, { team, from, to, now }: Move): Promise<void> {
  const renamed = sql<string>`replace(deletions.what, ${`${from}/`}, ${`${to}/`})`;
  const moved = await trx
    .updateTable('deletions')
    .set({ what: renamed })
    .where('team', '=', team)
    .where(sql<boolean>`what in (select channel || '/' || ts from shares
      where team = ${team} and channel = ${from})`)
    .where(sql<boolean>`not exists (select 1 from deletions as other
      where other.team = ${team} and other.what = ${renamed})`)
    .returning('id')
    .execute();
  await dueAtOnce(trx, { deletion: '' }, moved, now);
}

/** By table: when a row of the new channel (`other`) keeps one of the old channel from moving. */
const IN_THE_WAY = {
  shares: sql`other.ts = shares.ts and other.saved_to = shares.saved_to`,
  reports: sql`other.reading = 1 and reports.reading = 1`,
} satisfies Partial<Record<keyof Tables, RawBuilder<unknown>>>;

/** The kinds of jobs of each table's rows, and what their keys begin with. */
const JOBS_OF: Record<keyof typeof IN_THE_WAY, Partial<Record<JobKind, string>>> = {
  shares: { message: 'share/' },
  reports: { message: 'report/', backfill: '' },
};

async function moveRows(
  trx: Db,
  table: keyof typeof IN_THE_WAY,
  { team, from, to, now }: Move,
): Promise<void> {
  const moved = await trx
    .updateTable(table)
    .set({ channel: to })
    .where(isChannel({ team, channel: from }))
    .where(sql<boolean>`not exists (select 1 from ${sql.table(table)} as other
      where other.team = ${team} and other.channel = ${to} and ${IN_THE_WAY[table]})`)
    .returning('id')
    .execute();
  await dueAtOnce(trx, JOBS_OF[table], moved, now);
}

// Ends claims: a worker that finds the old channel gone must not give up the moved row.
async function dueAtOnce(
  trx: Db,
  jobs: Partial<Record<JobKind, string>>,
  rows: readonly { id: number }[],
  now: number,
): Promise<void> {
  const keys = Object.entries(jobs).flatMap(([kind, prefix]) =>
    rows.map(({ id }) => sql`(${kind}, ${`${prefix}${id}`})`),
  );
  await inChunks(keys, (some) =>
    trx
      .updateTable('jobs')
      .set({ leaseToken: null, dueAt: now, againAt: null })
      .where(sql<boolean>`(kind, key) in (values ${sql.join(some)})`)
      .execute(),
  );
}

async function moveQueues(trx: Db, { team, from, to }: Move): Promise<void> {
  const [before, after] = [from, to].map((channel) => queueOf({ team, channel }));
  await trx
    .updateTable('transfers')
    .set({ queue: sql<string>`replace(queue, ${before}, ${after})` })
    .where('queue', 'in', queuesOf({ team, channel: from }))
    .where(sql<boolean>`share_id in (select id from shares
      where ${isChannel({ team, channel: to })})`)
    .execute();
  await trx
    .updateTable('transfers')
    .set({ message: sql<string>`replace(message, ${`${before}/`}, ${`${after}/`})` })
    .where(sql<boolean>`message like ${`${before}/%`} and share_id in (select id from shares
      where ${isChannel({ team, channel: to })})`)
    .where(sql<boolean>`not exists (select 1 from transfers as other
      where other.message = replace(transfers.message, ${`${before}/`}, ${`${after}/`})
        and other.slack_file_id = transfers.slack_file_id)`)
    .execute();
  await sql`update jobs set queue = (select queue from transfers where id = cast(jobs.key as bigint))
    where kind = 'upload' and queue in (${sql.join(queuesOf({ team, channel: from }))})`.execute(
    trx,
  );
}
