import { type RawBuilder, sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import {
  channelOf,
  type Destination,
  FOLDER_REASONS,
  folderNumber,
  type Hold,
  isFolder,
  KEY,
  probeDelay,
  SLACK_FILES,
  sameDestination,
  toDestination,
} from '../core/index.ts';
import { CHANNEL_OF_SHARE, isOfFolder, lockLink } from './channels.ts';
import {
  type Claim,
  claimJob,
  dropJobs,
  endJob,
  enqueue,
  holdJobs,
  type JobClaim,
  type Lease,
  resumeJobs,
  whileHeld,
} from './jobs.ts';
import { noteSharesChanged, updateTransfers } from './messages.ts';
import { anyRow, atomically, skipLocked } from './run-statements.ts';
import type { Db, JobRow } from './schema.ts';
import { type Problem, postpone, TRIED_AGAIN } from './steps.ts';
import { dueAgain, ON_THEIR_WAY, SCOPE, showHolds, UNCLAIMED } from './transfer.ts';
import { moveWaiting } from './waiting-files.ts';

/*
 * A hold keeps all files that need something from being tried while that is refused: the key, Slack's
 * files, or one folder. A folder's hold takes the due times of its jobs, the others stop the claims of a
 * whole kind. What is claimed already is left alone. Now and then a probe does one of the jobs: its
 * success ends the hold, and all others are due again, in their order.
 */

interface Refused {
  /** Of the transfer that met the refusal. */
  claim: Claim;
  scope: string;
  /** Why the others wait. */
  reason: ErrorCode;
  /** Why this transfer waits. */
  problem: Problem;
  now: number;
  /** Factor by which the waits are multiplied. */
  scale: number;
}

/**
 * Opens a hold, or keeps the one that stands, and puts its next probe off; the transfer waits like all
 * others. Resolves with whether the hold is new; with null, and nothing done, if this transfer opened
 * the folder's hold before and that has ended since: it is refused for its own sake.
 */
export function openHold(
  db: Db,
  { claim, scope, reason, problem, now, scale }: Refused,
): Promise<{ isNew: boolean } | null> {
  return whileHeld(db, claim, async (trx) => {
    const before = (await listHolds(trx)).find((hold) => hold.scope === scope);
    const own = trx.selectFrom('transfers').select('id').where('id', '=', claim.id);
    const wasHeld = isFolder(scope) && (await anyRow(own.where('heldAt', 'is not', null)));
    if (!before && wasHeld) return null;
    const { since } = before ?? { since: now };
    const inserted = trx.insertInto('holds').values({ scope, reason, since });
    const opened = inserted.onConflict((conflict) => conflict.doNothing());
    const isNew = await anyRow(opened.returning('scope'));
    if (!isNew) await trx.updateTable('holds').set({ reason }).where('scope', '=', scope).execute();
    const probeAt = now + Math.round(probeDelay(scope, now - since) * scale);
    await dropJobs(trx, 'hold', sql`${scope}`);
    await enqueue(trx, { kind: 'hold', key: scope, dueAt: probeAt });
    if (isNew) {
      await holdJobs(trx, scope);
      await noteSharesChanged(trx, await showHolds(trx, isUnder(scope)), now);
    }
    if (isFolder(scope))
      await trx.updateTable('transfers').set({ heldAt: now }).where('id', '=', claim.id).execute();
    await postpone(trx, claim, { problem, dueAt: probeAt, failingSince: now, now });
    return { isNew };
  });
}

/**
 * Ends the claim of a hold's probe, which stays unused, as the hold stands; has all that it keeps show it:
 * after an outage, some show that. With `isGone`, a folder is gone for
 * certain, and no create is under way there: files of channels that are linked to another one by now go
 * on to that, though a channel may still be linked to this one.
 */
export function keepHold(
  db: Db,
  probe: JobClaim,
  { scope, isGone, now }: { scope: string; isGone: boolean; now: number },
): Promise<void> {
  return atomically(db, async (trx) => {
    if (!(await endJob(trx, probe, { dueAt: now, unused: true }))) return;
    await noteSharesChanged(trx, await showHolds(trx, isUnder(scope)), now);
    if (!isGone) return;
    const from = toDestination(scope);
    const kept = trx.selectFrom('transfers').select('queue').distinct().where(isUnder(scope));
    for (const { queue } of await kept.orderBy('queue').execute()) {
      const to = await lockLink(trx, channelOf(queue));
      if (to && !sameDestination(to, from))
        await moveWaiting(trx, channelOf(queue), { from, to, isGone, now });
    }
  });
}

/** Selects the transfers that a hold of this scope keeps. */
function isUnder(scope: string): RawBuilder<boolean> {
  if (scope === KEY) return ON_THEIR_WAY;
  if (scope === SLACK_FILES) return sql`(${ON_THEIR_WAY} and state = 'recorded')`;
  return sql`(${ON_THEIR_WAY} and ${isOfFolder(toDestination(scope))})`;
}

/** Ends a hold: what waits is due again. Resolves with false if it has ended before. */
export async function endHold(db: Db, scope: string, now: number): Promise<boolean> {
  const isEnded = await atomically(db, async (trx) => {
    const deleted = trx.deleteFrom('holds').where('scope', '=', scope).returning('reason');
    const hold = await deleted.executeTakeFirst();
    if (!hold) return false;
    await dropJobs(trx, 'hold', sql`${scope}`);
    const waiting = trx.updateTable('transfers').set(TRIED_AGAIN).where(isUnder(scope));
    const told = waiting.where('problem', 'in', toldOf(scope, hold)).where(UNCLAIMED);
    await updateTransfers(trx, now, told, dueAgain(now));
    return true;
  });
  // The jobs of a folder whose files are told of something else.
  if (isEnded) await atomically(db, (trx) => resumeJobs(trx, { now, waits: true }));
  return isEnded;
}

/** Returns the problems that people were shown of what a hold keeps. */
function toldOf(scope: string, { reason }: Pick<Hold, 'reason'>): ErrorCode[] {
  return isFolder(scope) ? [...FOLDER_REASONS, 'RECORD_UNSEEN'] : [reason];
}

/** Returns the holds that stand. */
export function listHolds(db: Db): Promise<Hold[]> {
  return db.selectFrom('holds').select(['scope', 'reason', 'since']).execute();
}

/** Has the probe of a hold, by default of each, due at `at` at the latest. */
export async function probeHolds(
  db: Db,
  { at, scope }: { at: number; scope?: string },
): Promise<void> {
  const probes = db.updateTable('jobs').set({ dueAt: at }).where('kind', '=', 'hold');
  const later = probes.where('dueAt', '>', at);
  await (scope === undefined ? later : later.where('key', '=', scope)).execute();
}

/**
 * Claims a job as the probe of a hold, if one is due; null for none. A hold without anything to try
 * ends.
 */
export async function claimProbe(
  trx: Db,
  { scale, ...lease }: Lease & { scale: number },
): Promise<{ hold: Hold; job: JobRow } | null> {
  const due = await claimJob(trx, 'hold', lease);
  if (!due) return null;
  // Read after the claim: another instance may just have opened it.
  const hold = (await listHolds(trx)).find(({ scope }) => scope === due.key);
  if (!hold) await endJob(trx, lease, { dueAt: null });
  if (!hold) return null;
  const { scope, since } = hold;
  const after = (heldMs: number) => lease.now + Math.round(probeDelay(scope, heldMs) * scale);
  await endJob(trx, lease, { dueAt: after(lease.now - since) });
  const job = await takeJob(trx, hold, lease);
  if (job) return { hold, job };
  // Another probe is due soon if something may be tried then.
  if (await mayBeTried(trx, scope)) await probeHolds(trx, { at: after(0), scope });
  else await endHold(trx, scope, lease.now);
  return null;
}

/**
 * Claims the cheapest proof of those that were tried the least, whether it is due or not. A folder proves
 * nothing where nothing can be tried by now, or only creates whose outcome no look could tell so far, and
 * files like theirs: it comes last.
 */
async function takeJob(
  trx: Db,
  { scope, reason }: Hold,
  { now, token, until }: Lease,
): Promise<JobRow | undefined> {
  // Others are kept by a folder's hold, too.
  const isFree = sql`lease_token is null
    and ${isFolder(scope) ? sql`scope = ${scope}` : sql`due_at is not null`}`;
  const folder = (which: RawBuilder<boolean>) => sql`select kind, key from jobs
    where kind = 'folder' and ${isFree} and ${which}
    order by due_at, key limit 1 ${skipLocked(trx)}`;
  const canBeTried = sql<boolean>`key in (select ${SCOPE} from transfers
    where state in ('uploaded', 'creating', 'created') and coalesce(next_try_at <= ${now}, true)
      and coalesce(problem, '') not in ('RECORD_UNCLEAR', 'TWIN_UNCONFIRMED'))`;
  const upload = sql`select kind, key from jobs where kind = 'upload' and ${isFree}
    order by (select failures from transfers where id = cast(jobs.key as bigint)),
      (select slack_size from transfers where id = cast(jobs.key as bigint)), key limit 1
    ${skipLocked(trx)}`;
  const isOfUpload = scope === SLACK_FILES || reason === 'SERVICE_UPLOAD_FORBIDDEN';
  const first = isOfUpload ? [] : [folder(canBeTried)];
  // What is looked for in its folder first may have an upload afterwards. Slack's files keep no folder.
  const last = scope === SLACK_FILES ? [] : [folder(sql`true`)];
  for (const one of [...first, upload, ...last]) {
    const { rows } = await sql<JobRow>`update jobs set lease_token = ${token}, due_at = ${until},
      again_at = null, attempts = attempts + 1 where (kind, key) in (${one}) returning *`.execute(
      trx,
    );
    if (rows[0]) return rows[0];
  }
  return undefined;
}

/** Whether something that a hold keeps is claimed, or for Slack's files looked for in its folder first. */
function mayBeTried(trx: Db, scope: string): Promise<boolean> {
  if (scope === SLACK_FILES)
    return anyRow(trx.selectFrom('transfers').select('id').where(isUnder(scope)).limit(1));
  const claimed = trx.selectFrom('jobs').select('key').where('kind', 'in', ['upload', 'folder']);
  const held = claimed.where('leaseToken', 'is not', null);
  return anyRow(isFolder(scope) ? held.where('scope', '=', scope) : held);
}

/** Resolves with true once a hold and name: that caller notifies them. */
export function claimNotice(db: Db, scope: string, name: string): Promise<boolean> {
  const told = sql<string>`told || ${`${name} `}`;
  const note = db.updateTable('holds').set({ told }).where('scope', '=', scope);
  const isNew = sql<boolean>`replace(told, ${` ${name} `}, '') = told`;
  return anyRow(note.where(isNew).returning('scope'));
}

/** Has the next claimNotice succeed: nobody could be notified. */
export async function dropNotice(db: Db, scope: string, name: string): Promise<void> {
  const told = sql<string>`replace(told, ${` ${name} `}, ' ')`;
  await db.updateTable('holds').set({ told }).where('scope', '=', scope).execute();
}

/** Resolves with whether one of these names was notified of a folder's hold; null without a hold. */
export async function findNotice(
  db: Db,
  folder: Destination,
  names: readonly string[],
): Promise<{ isNotified: boolean } | null> {
  const hold = db.selectFrom('holds').select('told').where('scope', '=', folderNumber(folder));
  const found = await hold.executeTakeFirst();
  return found ? { isNotified: names.some((name) => found.told.includes(` ${name} `)) } : null;
}

/** Whether any channel is linked to a folder. */
export function isLinked(db: Db, folder: Destination): Promise<boolean> {
  return anyRow(db.selectFrom('channels').select('channel').where(isOfFolder(folder)));
}

/** Returns who linked the channels whose files are on their way, the first one's first. */
export async function linkersWaiting(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .innerJoin('channels', (join) => join.on(CHANNEL_OF_SHARE))
    .select('linkedBy')
    .where(ON_THEIR_WAY)
    .groupBy('linkedBy')
    .orderBy((eb) => eb.fn.min('transfers.id'))
    .execute();
  return rows.flatMap(({ linkedBy }) => linkedBy || []);
}
