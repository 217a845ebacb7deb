import { type ErrorCode, hasCode, isFinal, orNull, PigeonholeError } from '../base/index.ts';
import {
  type ChannelRef,
  channelOf,
  type Destination,
  failingSince,
  folderNumber,
  folderReason,
  isOfSaved,
  isWorthAnotherTry,
  lookDelay,
  type MessageRef,
  nextTryDelay,
  OUTAGE,
  sameDestination,
  scopeOf,
  sharedAt,
  toldProblem,
  UNEXPLAINED,
} from '../core/index.ts';
import { destinationOf, LedgerError, type Problem } from '../ledger/index.ts';
import { type FileRecord, ServiceError } from '../service/index.ts';
import type { EngineContext } from './engine-context.ts';
import { hold, isFolderListed } from './holds.ts';
import type { HeldTransfer } from './job.ts';

/** A create with an unknown outcome: the worker looks for its record before it creates again. */
export class OpenCreateError extends PigeonholeError {
  declare readonly cause: ServiceError;

  constructor(cause: ServiceError) {
    super(cause.code, cause.message, { cause });
  }
}

export interface SettleContext extends EngineContext {
  /** Resolves as isFolderListed; one request for several transfers. Default: one for each. */
  isListed?(): Promise<boolean | null>;
}

interface Verdict {
  code: ErrorCode;
  note: string | null;
  retry: boolean;
  retryAfterMs: number;
  /** Whether the request was certainly not sent. */
  unsent?: boolean;
  /** Whether the next try only lists the folder, which may come soon. */
  looks?: true;
}

/** How long people are not notified of waits that the service asks for. */
const PASSES_UNSEEN_MS = 30_000;
/** The wait after a first unsent request. Without jitter: what failed together goes together. */
const MOMENT_MS = 1_000;

/**
 * Runs a step of a transfer and settles its error. Never rejects: if that write fails, the lease
 * expires and the row is claimed again.
 */
export async function settling(
  held: HeldTransfer,
  context: SettleContext,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run().catch((error: unknown) => settleFailure(held, error, context));
  } catch (error) {
    const level = hasCode(error, 'LEASE_LOST') ? 'info' : 'error';
    context.logger[level]({ transfer: held.transfer.id, error }, 'A claim ended unsettled');
  }
}

/** Settles a failed step in the ledger: postpones, refuses, files or releases the transfer. */
export async function settleFailure(
  held: HeldTransfer,
  error: unknown,
  context: SettleContext,
): Promise<void> {
  const now = context.clock.now();
  if (held.signal.aborted) return context.ledger.release(held.claim, { dueAt: now });
  if (error instanceof LedgerError && !isConflict(error)) throw error;
  const verdict = judge(error);
  const { code, note } = verdict;
  if (code === 'UNEXPECTED')
    context.logger.error({ transfer: held.transfer.id, error }, 'A step of filing failed');
  const scope = scopeOf(code, context.clock.wall() - sharedAt(held.transfer));
  if (scope) return void (await hold(held, { scope, problem: { code, note } }, context));
  const since = failingSince(held.transfer, code, now);
  const { problem: last } = held.transfer;
  if (verdict.retry && isWorthAnotherTry(code, { since, now, last }))
    return putOff(held, { ...verdict, since }, context);
  // The service has confirmed that the file is in the folder.
  if (held.transfer.state === 'created') return void (await settleFiled(held, null, context));
  const isGeneral = code.startsWith('SERVICE_') || code === 'UNEXPECTED';
  const isGivenUp = verdict.retry && isGeneral && code !== 'SERVICE_BLOCKED';
  return settleRefused(held, { code: isGivenUp ? 'ATTEMPTS_EXHAUSTED' : code, note }, context);
}

async function putOff(
  { transfer: { failures }, claim }: HeldTransfer,
  { code, note, unsent, looks, retryAfterMs, since }: Verdict & { since: number },
  { ledger, clock, random, backoffScale, settleMs }: EngineContext,
): Promise<void> {
  const now = clock.now();
  const isLimited = code === 'SERVICE_RATE_LIMITED' || code === 'SERVICE_LIMIT_AWAY';
  const isFirstUnsent = unsent && failures === 0 && (isLimited || code === 'SERVICE_UNREACHABLE');
  const nextTryMs = () => {
    if (looks) return Math.max(lookDelay(0, settleMs), retryAfterMs);
    if (isFirstUnsent) return Math.max(MOMENT_MS, retryAfterMs);
    // A 429 says how long to wait: a wait that grows with each one would not help.
    const nth = code === 'SERVICE_RATE_LIMITED' ? 1 : failures + 1;
    return Math.round(
      nextTryDelay(nth, random.fraction(), retryAfterMs / backoffScale) * backoffScale,
    );
  };
  // People are not notified of a short wait that the service asks for, nor of one unsent request.
  const isUnseen = isFirstUnsent || (isLimited && now - since < PASSES_UNSEEN_MS);
  const told = { code: toldProblem(code, { since, now }), note };
  const problem = isUnseen && retryAfterMs <= PASSES_UNSEEN_MS ? null : told;
  const dueAt = now + nextTryMs();
  await ledger.postpone(claim, { problem, dueAt, failingSince: since, now });
}

function judge(error: unknown): Verdict {
  if (error instanceof OpenCreateError) return { ...judge(error.cause), retry: true, looks: true };
  const again = { note: null, retry: true, retryAfterMs: 0 };
  // As where an identical file is being filed in this folder.
  if (error instanceof LedgerError) return { code: error.code, ...again };
  if (!(error instanceof PigeonholeError)) return { code: 'UNEXPECTED', ...again };
  const unsent = error instanceof ServiceError && error.sent === 'no';
  const { retryAfterMs = 0 } = error;
  return { ...problemOf(error), retry: !isFinal(error), retryAfterMs, unsent };
}

/** Returns the problem that people are shown for a failure. */
export function problemOf(error: PigeonholeError): Problem {
  const code = error.code === 'SERVICE_NOT_FOUND' ? 'DESTINATION_GONE' : error.code;
  // The service's own words tell people more than our message about them.
  const said = error instanceof ServiceError ? error.said : undefined;
  return { code, note: (said || error.message).slice(0, 300) };
}

/**
 * Makes due the files that wait for the service, once one that waited for it has got through. If
 * that fails, each is tried at its own time.
 */
export async function hurryOthers(
  { transfer: { problem } }: HeldTransfer,
  { ledger, clock, logger }: EngineContext,
): Promise<void> {
  if (problem === null || !OUTAGE.includes(problem)) return;
  await ledger
    .hurryWaitingFor(OUTAGE, clock.now())
    .catch((error: unknown) => logger.warn({ error }, 'Waiting files could not be made due'));
}

/**
 * Marks a transfer as filed, as this record or an unknown one (null), and logs it. Resolves with
 * false, with nothing done, when another transfer holds the record. Rejects with
 * RECORD_SIZE_MISMATCH when the record's size differs from the size sent. `recordName`: the name that
 * the create's response gave the record; a name that a look saw proves less.
 */
export async function settleFiled(
  held: HeldTransfer,
  record: FileRecord | null,
  context: EngineContext,
  recordName: string | null = null,
): Promise<boolean> {
  const { ledger, clock, logger } = context;
  const { id = null, url = null, creatorId = null, byteSize: size = null } = record ?? {};
  const { byteSize } = held.transfer;
  if (size !== null && byteSize !== null && size !== byteSize) {
    const message = `record ${id} has ${size} bytes, ${byteSize} were sent`;
    throw new PigeonholeError('RECORD_SIZE_MISMATCH', message);
  }
  const known = { recordId: id, recordName, recordUrl: url, recordCreator: creatorId };
  // One that was filed before, and not sent by us.
  const unsent = byteSize === null ? { byteSize: size ?? held.transfer.slackSize } : {};
  const filed = { ...known, ...unsent, now: clock.now() };
  const mark = () => orNull(ledger.markFiled({ claim: held.claim, ...filed }), isConflict);
  const free = async () =>
    record !== null &&
    ledger.freeRecord(destinationOf(held.transfer), {
      ...{ record, now: clock.now() },
      own: { name: held.transfer.name, byteSize: byteSize ?? size ?? 0 },
    });
  const message = (await mark()) ?? ((await free()) ? await mark() : null);
  if (message === null) return false;
  const text = id === null ? 'A file was filed; its record is not known' : 'A file was filed';
  logger.info({ ...idsOf(held, message), record: id }, text);
  await hurryOthers(held, context);
  return true;
}

function isConflict(error: unknown): boolean {
  return hasCode(error, 'LEDGER_CONFLICT');
}

/**
 * Marks a transfer as refused and logs why. If the folder is the cause, and its channel's files go
 * there, the file waits under a hold instead; if the channel has been relinked meanwhile, the file goes
 * to the new folder, unless it may be in the old one. A folder that is gone is the cause also of a
 * refusal without a reason.
 */
export async function settleRefused(
  held: HeldTransfer,
  refusal: Problem,
  context: SettleContext,
): Promise<void> {
  const forFolder = UNEXPLAINED.includes(refusal.code) && (await isGone(held, context));
  const problem = forFolder ? { ...refusal, code: 'DESTINATION_GONE' as const } : refusal;
  const reason = folderReason(problem.code);
  const { queue, destination } = held.transfer;
  if (reason !== null && destination && (await isFiledInto(destination, queue, context))) {
    const scope = folderNumber(destination);
    if (await hold(held, { scope, problem }, context)) return;
  }
  const { ledger, clock, logger } = context;
  const message = await ledger.markRefused(held.claim, { problem, now: clock.now() });
  logger.warn({ ...idsOf(held, message), ...problem }, 'A file was refused');
  if (reason !== null) await followLink(held, message, context);
}

/** Whether a channel's files go to a folder. Those saved by hand go wherever somebody chose. */
async function isFiledInto(
  folder: Destination,
  queue: string,
  { findDestination }: EngineContext,
): Promise<boolean> {
  const destination = isOfSaved(queue) ? null : await findDestination(channelOf(queue));
  return destination !== null && sameDestination(destination, folder);
}

/** Whether the account certainly does not list a transfer's folder. */
export async function isGone(held: HeldTransfer, context: SettleContext): Promise<boolean> {
  const { transfer, signal } = held;
  const call = { queue: transfer.queue, signal };
  const listed = context.isListed?.() ?? isFolderListed(destinationOf(transfer), call, context);
  return (await listed.catch(() => null)) === false;
}

// A relink moves only unclaimed transfers, so a claimed one moves here.
async function followLink(
  { transfer: { destination: from } }: HeldTransfer,
  channel: ChannelRef,
  { ledger, clock, findDestination }: EngineContext,
): Promise<void> {
  const to = await findDestination(channel);
  if (!from || !to || sameDestination(from, to)) return;
  for (const { id } of await ledger.sharesRefusedFor(channel, from))
    await ledger.retryShare(id, { to, now: clock.now() });
}

/** Returns the log fields that lead from the message in Slack to the folder. */
function idsOf({ transfer: { id, file, destination } }: HeldTransfer, message: MessageRef) {
  return { ...message, file: file.id, transfer: id, ...destination };
}
