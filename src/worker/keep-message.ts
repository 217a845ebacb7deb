import { createHash } from 'node:crypto';
import { isFinal } from '../base/index.ts';
import { least } from '../blocks/index.ts';
import type {
  ClaimedRow,
  DoneInSlack,
  NotificationClaim,
  NotifyingTable,
} from '../ledger/index.ts';
import {
  type Mark,
  type MessageBody,
  mayBeRepeated,
  type Place,
  unlessRefused,
} from '../slack/index.ts';
import {
  type ChannelRef,
  type Destination,
  type FolderRef,
  linkIfTo,
  nextTryDelay,
} from '../transfers/index.ts';
import { assertHeld, type Handler, type HeldRow, pauseIfAsked, rowJobs } from './job.ts';
import type { WorkerContext } from './worker-context.ts';

/** A share or report whose message is held by a lease. */
export interface HeldNotification<Row> extends HeldRow<Row> {
  claim: NotificationClaim;
  /** What was done so far: written when the claim ends, even if a later step fails. */
  done: DoneInSlack;
  /** When the row is due again for its reaction, apart from the line; null for never. */
  reactAt: number | null;
}

/** Resolves with when the row is due again without a change; null for never. */
type Notify<Row> = (one: HeldNotification<Row>, context: WorkerContext) => Promise<number | null>;

/**
 * How many messages of a table are brought up to date at once: a call of Slack takes a few tenths of
 * a second, and each of many shares is to get its reaction within two.
 */
const AT_ONCE = 4;
/** After so many failures in a row the message is given up; the files are filed all the same. */
const MAX_FAILURES = 40;

/**
 * Keeps the messages of a table's rows up to date, within Slack's limits: a 429 response pauses
 * these jobs for all tables.
 */
export function messageJobs<Kind extends keyof typeof TABLES>(
  kind: Kind,
  notify: Notify<ClaimedRow<Kind>>,
  context: WorkerContext,
): Handler {
  const table = TABLES[kind];
  return rowJobs(context, {
    kind,
    concurrency: AT_ONCE,
    pause: context.messagePause,
    run: ({ claim, ...row }) =>
      runNotify<Kind>(
        { ...row, claim: { ...claim, table }, done: {}, reactAt: null },
        notify,
        context,
      ),
  });
}

const TABLES = { share: 'shares', report: 'reports' } as const satisfies Record<
  string,
  NotifyingTable
>;

type NotifyingRow = ClaimedRow<keyof typeof TABLES>;

/** Runs `notify`, and ends the claim with what it did and whether it failed. */
async function runNotify<Kind extends keyof typeof TABLES>(
  one: HeldNotification<ClaimedRow<Kind>>,
  notify: Notify<ClaimedRow<Kind>>,
  context: WorkerContext,
): Promise<void> {
  const { ledger, clock } = context;
  const { row, claim, held, done } = one;
  const { channel, attempts } = row;
  let failed = false;
  const againAt = await notify(one, context).then(
    (dueAt) => least([dueAt, one.reactAt]),
    (error: unknown) => {
      failed = true;
      const { reactAt } = one;
      return held.signal.aborted
        ? clock.now()
        : nextTry({ channel, attempts, reactAt }, error, context);
    },
  );
  const now = clock.now();
  await ledger.finishNotification(claim, { done, againAt, failed, now });
}

type Failed = Pick<NotifyingRow, 'channel' | 'attempts'> & { reactAt: number | null };

/** Returns when to try again; once the line is abandoned, for the reaction only; null for never. */
function nextTry(
  { channel, attempts, reactAt }: Failed,
  error: unknown,
  { clock, logger, random, backoffScale, messagePause: pause }: WorkerContext,
): number | null {
  const until = pauseIfAsked(pause, error, clock);
  if (until !== null) return until;
  const permanent = isFinal(error);
  logger.warn({ channel, error, permanent }, 'A message could not be brought up to date');
  const wait = (nextTryDelay(attempts, random.fraction()) / 2) * backoffScale;
  const againAt = clock.now() + Math.round(wait);
  if (!permanent && attempts <= MAX_FAILURES) return againAt;
  return reactAt && Math.max(reactAt, againAt);
}

interface KeptMessage extends HeldNotification<NotifyingRow> {
  place: Place;
  mark: Mark;
  /** The timestamp to search from when the response to the message's post was lost. */
  oldest: string;
}

/**
 * Makes our message say `body`: edits it, or posts it once. Records an intent before the first
 * post, so that after a crash the message is looked for, not posted again.
 */
export async function keepMessage(
  message: KeptMessage,
  body: MessageBody,
  context: WorkerContext,
): Promise<void> {
  const fingerprint = fingerprintOf(body);
  const { row, done } = message;
  // An earlier claim that was not ended may have edited it.
  if (fingerprint === row.fingerprint && row.attempts <= 1) return;
  const ts = row.replyTs ?? (await findLost(message, context));
  if (ts) await update(message, { ts, body }, context);
  else await post(message, body, context);
  done.fingerprint = fingerprint;
}

export function fingerprintOf(body: MessageBody): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
}

async function findLost(message: KeptMessage, context: WorkerContext): Promise<string | null> {
  if (message.row.replyBegun === 0) return null;
  const { place, mark, oldest } = message;
  const ts = await context.workspace.find(place, { mark, oldest });
  if (ts) message.done.replyTs = ts;
  return ts;
}

async function update(
  { place, held }: KeptMessage,
  { ts, body }: { ts: string; body: MessageBody },
  { workspace, clock }: WorkerContext,
): Promise<void> {
  assertHeld(held, clock);
  // A message of ours that a member deleted is not wanted, so it is not posted again.
  await unlessRefused(workspace.update({ channel: place.channel, ts }, body), 'message_not_found');
}

async function post(
  message: KeptMessage,
  body: MessageBody,
  { ledger, workspace, clock }: WorkerContext,
): Promise<void> {
  const { row, claim, held, place, mark, done } = message;
  if (!(await ledger.beginReply(claim))) return;
  assertHeld(held, clock);
  try {
    done.replyTs = await workspace.post(place, { body, mark });
  } catch (error) {
    // Of this post, there is nothing to look for; an earlier one may still appear.
    if (mayBeRepeated(error)) done.replyBegun = row.replyBegun;
    throw error;
  }
}

/** Names a folder that a channel's files went to: as the channel's link does, else the account. */
export async function nameFolder(
  folder: Destination,
  channel: ChannelRef,
  { ledger, names }: WorkerContext,
): Promise<FolderRef> {
  const link = linkIfTo(folder, await ledger.findLink(channel));
  return names.nameFolder(link ?? folder, { lane: 'bulk' });
}
