import type { ErrorCode } from '../base/index.ts';
import type { Problem } from '../ledger/index.ts';
import { isListed, ServiceError, unlessCode } from '../service/index.ts';
import {
  type Destination,
  type Hold,
  isFolder,
  KEY,
  provesEnd,
  SLACK_FILES,
  sameDestination,
  toDestination,
} from '../transfers/index.ts';
import type { HeldTransfer } from './job.ts';
import { notifyOfHold, notifyOfToken } from './notify-hold.ts';
import type { WorkerContext } from './worker-context.ts';

const OPENED = 'Files wait: what they need is refused';
const ENDED = 'What files waited for is accepted again';

interface Refusal {
  scope: string;
  /** Why the others wait. */
  reason: ErrorCode;
  /** Why this transfer waits. */
  problem: Problem;
}

/**
 * Has a transfer, and all that need the same, wait until a probe is accepted. Resolves with false, with
 * nothing done, if the transfer is refused for its own sake: see openHold.
 */
export async function hold(
  { claim, transfer }: HeldTransfer,
  { scope, reason, problem }: Refusal,
  context: WorkerContext,
): Promise<boolean> {
  const { ledger, clock, logger, backoffScale: scale, probe, inBackground } = context;
  const refused = { scope, reason, problem };
  const opened = await ledger.openHold({ ...refused, claim, now: clock.now(), scale });
  const level = isFolder(scope) ? 'warn' : 'error';
  if (opened?.isNew) logger[level]({ transfer: transfer.id, scope, ...problem }, OPENED);
  // One refusal of the key may be a slip.
  const isSure = scope === SLACK_FILES || (scope === KEY && probe?.scope === KEY);
  if (isSure) inBackground(notifyOfHold(scope, context));
  return opened !== null;
}

/** Ends the hold that this run is the probe of, if what it got done proves that it is over. */
export async function passed(
  done: Parameters<typeof provesEnd>[0],
  { probe, ...context }: WorkerContext,
): Promise<void> {
  if (!probe) return;
  const { ledger, clock, logger, wake } = context;
  const { scope } = probe;
  const now = clock.now();
  try {
    // An upload does not show that the folder takes the file: its create is next.
    if (provesEnd(done, probe)) await end(probe, context);
    else if (done === 'upload') await ledger.probeHolds({ at: now, scope });
    wake();
  } catch (error) {
    logger.warn({ ...probe, error }, 'A hold could not be ended; the next probe does that');
  }
}

async function end(probe: Hold, context: WorkerContext): Promise<void> {
  const { ledger, clock, logger } = context;
  if (!(await ledger.endHold(probe.scope, clock.now()))) return;
  logger.info(probe, ENDED);
  if (probe.scope === SLACK_FILES) await notifyOfToken(context);
}

/**
 * Whether a list shows that what a probe is for is still refused: the key, by a list of this folder, or
 * a folder that is gone. Other holds take a job to show that. Ends the hold of a folder that no channel
 * files into: nobody would mend that.
 */
export async function isStillRefused(
  { scope, reason }: Hold,
  { destination, signal }: { destination: Destination; signal: AbortSignal },
  context: WorkerContext,
): Promise<boolean> {
  const { ledger, service, clock, defaultFolder } = context;
  const refusedAs = (code: ErrorCode) =>
    service.peekFiles(destination, { lane: 'bulk', queue: 'probe', signal }).then(
      () => false,
      (error: unknown) => error instanceof ServiceError && error.code === code,
    );
  if (scope === KEY) {
    if (!(await refusedAs('SERVICE_UNAUTHORIZED'))) return false;
    await notifyOfHold(scope, context);
    return true;
  }
  if (!isFolder(scope)) return false;
  const folder = toDestination(scope);
  const isDefault = defaultFolder !== null && sameDestination(defaultFolder, folder);
  if (!isDefault && !(await ledger.isLinked(folder))) await ledger.endHold(scope, clock.now());
  else if (reason === 'DESTINATION_GONE') {
    const listed = await isFolderListed(folder, { queue: 'probe', signal }, context).catch(
      () => null,
    );
    return listed === null ? refusedAs('SERVICE_NOT_FOUND') : !listed;
  }
  return false;
}

/**
 * Whether the account lists a folder; null if it cannot tell. Real accounts refuse in undocumented words
 * (appendix 2, R3), but they do list their folders.
 */
export async function isFolderListed(
  { projectId, folderId }: Destination,
  call: { queue: string; signal: AbortSignal },
  { service }: Pick<WorkerContext, 'service'>,
): Promise<boolean | null> {
  const answer = service.listFolders(projectId, { lane: 'bulk', ...call });
  // A retry would get the same response.
  const list = await unlessCode(answer, ['SERVICE_BAD_ANSWER', 'SERVICE_BAD_REQUEST']);
  return isListed(list, folderId);
}
