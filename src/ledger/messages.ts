import { type RawBuilder, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { MessageRef } from '../core/index.ts';
import { claimJob, endJob, enqueue, enqueueAll, type Lease, lockIfHeld } from './jobs.ts';
import { anyRow, atomically, inChunks } from './run-statements.ts';
import type { Db, MessageRow, Tables } from './schema.ts';
import { ON_THEIR_WAY, reschedule } from './transfer.ts';

/*
 * A share and a report each have one message in Slack that is kept up to date. A change enqueues its
 * job; the run renders the message from the ledger, and posts or edits it. A message has a row once
 * Slack is asked to show something of it. A lease left by a crash runs out by itself, because a request
 * may reach Slack after the crash.
 */

/** What a message is about; its job has the same key. */
type MessageKey = Pick<MessageRow, 'kind' | 'about'>;

/** A claimed message, with the claims of its job since that last made progress, this one included. */
export type ClaimedMessage = MessageRow & { attempts: number };

/** How long after a change its report is due, in milliseconds: not every change edits it. */
const REPORT_AFTER_MS = 5_000;
/** The same of a share's line that is there, while files are on their way. */
const LINE_AFTER_MS = 3_000;

/**
 * The queues of messages in order of precedence: first reports, and shares without a reaction of ours;
 * last shares that a report covers.
 */
const QUEUES = ['1', '2', '3'] as const;

const SHARE_QUEUE = sql`case when report_id is not null then '3' when exists (select 1 from messages
  where kind = 'share' and about = shares.id and messages.reaction is not null) then '2' else '1' end`;

/** Enqueues the messages of these shares. */
export function enqueueShares(
  trx: Db,
  which: RawBuilder<unknown>,
  dueAt: number | RawBuilder<number>,
): Promise<void> {
  return enqueueAll(
    trx,
    sql`select 'message', 'share/' || id, cast(null as text), ${SHARE_QUEUE},
      cast(${dueAt} as bigint) from shares where ${which} order by id`,
  );
}

/**
 * Makes due the line of a share with a file that took a step, and the report that covers it: at once
 * if none is there, or with the last file, else soon. Returns the share's message.
 */
export async function noteShareChanged(db: Db, shareId: number, now: number): Promise<MessageRef> {
  const isOpen = sql`exists (select 1 from transfers where share_id = shares.id
    and ${ON_THEIR_WAY} and state <> 'created')`;
  const after = sql`case when ${hasMessage(sql`messages.ts is not null`)} and ${isOpen}
    then ${sql.lit(LINE_AFTER_MS)} else 0 end`;
  const dueAt = sql<number>`cast(${now} as bigint) + ${after}`;
  const [message] = await noteSharesChanged(db, [{ shareId }], now, dueAt);
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
  dueAt: number | RawBuilder<number> = now,
): Promise<MessageRef[]> {
  const ids = ascending(transfers.map(({ shareId }) => shareId));
  const shares = await inChunks(ids, async (some) => {
    const these = sql`id in (${sql.join(some)})`;
    await enqueueShares(db, sql`(${these} or id in (${ownOfSaved(some)}))`, dueAt);
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

type TransferUpdate = UpdateQueryBuilder<Tables, 'transfers', 'transfers', UpdateResult>;

/**
 * Runs an update of transfers, makes due the shares that it changed, and has the transfers' jobs fit
 * their states, due at `dueAt` if they are open: see reschedule. Returns how many it changed.
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
    await reschedule(trx, rows, dueAt ? { now, dueAt } : { now });
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
  const key = jobKey({ kind: 'report', about: id });
  return enqueue(db, { kind: 'message', key, queue: QUEUES[0], dueAt });
}

/** Returns the key of a message's job. */
function jobKey({ kind, about }: MessageKey): string {
  return `${kind}/${about}`;
}

/** Makes due the posted lines of files on their way: an ended process may have left them stale. */
export function makeOpenLinesDue(db: Db, now: number): Promise<void> {
  const onTheirWay = sql`id in (select share_id from transfers where ${ON_THEIR_WAY})`;
  return atomically(db, (trx) =>
    enqueueShares(trx, sql`${onTheirWay} and ${hasMessage(sql`messages.ts is not null`)}`, now),
  );
}

/** Selects the shares that have a message which is so. */
function hasMessage(which: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select 1 from messages where kind = 'share' and about = shares.id and ${which})`;
}

/** Selects the shares of which something is shown in Slack, or may be, now or in a moment. */
export const IS_SHOWN = sql<boolean>`(${hasMessage(sql`(messages.ts is not null or begun = 1
    or reaction is not null or reaction_begun is not null)`)}
  or exists (select 1 from jobs
    where kind = 'message' and key = 'share/' || shares.id and lease_token is not null))`;

/**
 * Makes a report due at `now`, and with it the shown lines of its shares: it takes over their files or
 * ends early.
 */
export async function makeReportDue(db: Db, id: number, now: number): Promise<void> {
  await enqueueShares(db, sql`report_id = ${id} and ${IS_SHOWN}`, now);
  await enqueueReport(db, id, now);
}

/** Claims the message that is due first; undefined when none is due. */
export function claimMessage(db: Db, lease: Lease): Promise<ClaimedMessage | undefined> {
  return atomically(db, async (trx) => {
    const job = await claimJob(trx, 'message', { ...lease, queues: QUEUES });
    if (!job) return undefined;
    const [kind, about] = job.key.split('/') as [MessageRow['kind'], string];
    return { ...(await messageOf(trx, { kind, about: Number(about) })), attempts: job.attempts };
  });
}

/** Returns a message, and whether it is due or being posted. */
export async function findMessage(
  db: Db,
  key: MessageKey,
): Promise<MessageRow & { isDue: boolean }> {
  const job = db.selectFrom('jobs').select('key').where('kind', '=', 'message');
  const isDue = await anyRow(job.where('key', '=', jobKey(key)));
  return { ...(await messageOf(db, key)), isDue };
}

async function messageOf(db: Db, key: MessageKey): Promise<MessageRow> {
  const row = db
    .selectFrom('messages')
    .selectAll()
    .where((eb) => eb.and(key));
  return (await row.executeTakeFirst()) ?? { ...key, ...NOT_IN_SLACK };
}

/** The columns of a message of which Slack shows nothing. */
const NOT_IN_SLACK = {
  ...{ channel: null, ts: null, begun: 0, fingerprint: null },
  ...{ reaction: null, reactionBegun: null },
};

/** Records that the first post begins; a crash has it looked for. False when the claim is lost. */
export function beginPost(db: Db, key: MessageKey, token: string): Promise<boolean> {
  return atomically(db, async (trx) => {
    if (!(await lockIfHeld(trx, token))) return false;
    await setBegun(trx, key, { begun: 1 });
    return true;
  });
}

/** Records a reaction before Slack is asked to add it, or to remove it. */
export function beginReaction(db: Db, key: MessageKey, name: string): Promise<void> {
  return setBegun(db, key, { reactionBegun: name });
}

async function setBegun(
  db: Db,
  key: MessageKey,
  begun: Partial<Pick<MessageRow, 'begun' | 'reactionBegun'>>,
): Promise<void> {
  const row = db.insertInto('messages').values({ ...key, ...begun });
  await row
    .onConflict((conflict) => conflict.columns(['kind', 'about']).doUpdateSet(begun))
    .execute();
}

/**
 * What a claim's holder did in Slack: where it posted the message and what that says now, or that
 * the post which it began certainly was not accepted, so that it is not looked for; and the reaction.
 */
export type DoneInSlack = Partial<Omit<MessageRow, keyof MessageKey | 'reactionBegun'>>;

interface EndMessage {
  token: string;
  /** Default: nothing. */
  done?: DoneInSlack;
  /** When the message is due again without a change; null for never. */
  againAt: number | null;
  /** Whether a call failed: it may have taken effect, so the message's content is unknown. */
  failed: boolean;
  now: number;
}

/**
 * Ends the claim. If it is lost, the new holder keeps the message where this one posted it, and the
 * message is due again: this one's late text or reaction may have replaced newer ones.
 */
export function endMessage(
  db: Db,
  key: MessageKey,
  { token, failed, done = {}, againAt, now }: EndMessage,
): Promise<void> {
  return atomically(db, async (trx) => {
    const job = await endJob(trx, { token }, { dueAt: againAt, unfinished: failed });
    if (!job) return leaveToNext(trx, key, { done, now });
    // It changed meanwhile: a holder that lost its claim may have put another text or reaction
    // in place of this one's.
    const isChanged = job.againAt !== null;
    await update(trx, key, {
      ...done,
      ...('reaction' in done && !isChanged && { reactionBegun: null }),
      ...((isChanged || failed) && { fingerprint: null }),
    });
  });
}

async function update(trx: Db, key: MessageKey, columns: Partial<MessageRow>): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  const row = trx.updateTable('messages').set(columns);
  await row.where((eb) => eb.and(key)).execute();
}

async function leaveToNext(
  trx: Db,
  key: MessageKey,
  { done, now }: { done: DoneInSlack; now: number },
): Promise<void> {
  const { ts, channel, reaction } = done;
  await update(trx, key, {
    ...(ts !== undefined && { ts }),
    ...(channel !== undefined && { channel }),
    ...(reaction && { reactionBegun: reaction }),
    fingerprint: null,
  });
  if (key.kind === 'share') await enqueueShares(trx, sql`id = ${key.about}`, now);
  else await enqueueReport(trx, key.about, now);
}
