import type { ErrorCode } from '../base/index.ts';
import {
  type Destination,
  folderReason,
  type Hold,
  isFolder,
  KEY,
  provesEnd,
  SLACK_FILES,
  sameDestination,
  toDestination,
} from '../core/index.ts';
import type { Problem } from '../ledger/index.ts';
import { isListed, ServiceError, unlessCode } from '../service/index.ts';
import type { EngineContext } from './engine-context.ts';
import type { HeldTransfer } from './job.ts';

const OPENED = 'Files wait: what they need is refused';
const ENDED = 'What files waited for is accepted again';

interface Refusal {
  scope: string;
  /** Why this transfer waits. */
  problem: Problem;
}

/**
 * Has a transfer, and all that need the same, wait until a probe is accepted. Resolves with false, with
 * nothing done, if the transfer is refused for its own sake: see openHold.
 */
export async function hold(
  { claim, transfer }: HeldTransfer,
  { scope, problem }: Refusal,
  context: EngineContext,
): Promise<boolean> {
  const { ledger, clock, logger, backoffScale: scale, probe, inBackground } = context;
  const reason = folderReason(problem.code) ?? problem.code;
  const refused = { scope, reason, problem };
  const opened = await ledger.openHold({ ...refused, claim, now: clock.now(), scale });
  const level = isFolder(scope) ? 'warn' : 'error';
  if (opened?.isNew) logger[level]({ transfer: transfer.id, scope, ...problem }, OPENED);
  // One refusal may be a slip.
  const isSure = !isFolder(scope) && probe?.scope === scope;
  if (isSure) inBackground(context.notices.ofHold(scope));
  return opened !== null;
}

/** Ends the hold that this run is the probe of, if what it got done proves that it is over. */
export async function probePassed(
  done: Parameters<typeof provesEnd>[0],
  context: EngineContext,
): Promise<void> {
  const { ledger, clock, logger, wake, probe } = context;
  if (!probe) return;
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

async function end(probe: Hold, context: EngineContext): Promise<void> {
  const { ledger, clock, logger, inBackground } = context;
  if (!(await ledger.endHold(probe.scope, clock.now()))) return;
  logger.info(probe, ENDED);
  if (probe.scope === SLACK_FILES) inBackground(context.notices.ofToken());
}

/**
 * Whether a list shows that what a probe is for is still refused: the key, by a list of this folder, or
 * a folder that is gone. Other holds take a job to show that. Ends the hold of a folder that no channel
 * files into: nobody would mend that.
 */
export async function isStillRefused(
  { scope, reason }: Hold,
  { destination, signal }: { destination: Destination; signal: AbortSignal },
  context: EngineContext,
): Promise<boolean> {
  const { ledger, service, clock, defaultFolder } = context;
  const refusedAs = (code: ErrorCode) =>
    service.peekFiles(destination, { lane: 'bulk', queue: 'probe', signal }).then(
      () => false,
      (error: unknown) => error instanceof ServiceError && error.code === code,
    );
  if (scope === KEY) {
    if (!(await refusedAs('SERVICE_UNAUTHORIZED'))) return false;
    await context.notices.ofHold(scope);
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
  { service }: Pick<EngineContext, 'service'>,
): Promise<boolean | null> {
  const answer = service.listFolders(projectId, { lane: 'bulk', ...call });
  // A retry would get the same response.
  const list = await unlessCode(answer, ['SERVICE_BAD_ANSWER', 'SERVICE_BAD_REQUEST']);
  return isListed(list, folderId);
}
