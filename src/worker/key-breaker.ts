import { backoff, isFinal, type Runtime } from '../base/index.ts';
import {
  keyRefused,
  type Operator,
  operatorMember,
  operatorNeeded,
  type View,
} from '../blocks/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { isHeldBack, type ServiceClient, ServiceError } from '../service/index.ts';
import { unlessRefused, type Workspace } from '../slack/index.ts';

/** The waits before a trial. */
const WAITS = { firstMs: 10_000, longestMs: 5 * 60_000 };
/** Trials in a row that say nothing of the key, after which calls pass all the same. */
const MAX_INCONCLUSIVE = 5;
const REFUSED = 'The file service still does not accept the key';
const NOT_KNOWN = 'Whether the file service accepts the key is not known yet: it is tried again';

interface KeyBreakerContext extends Runtime {
  ledger: Ledger;
  service: Pick<ServiceClient, 'peekFiles'>;
  workspace: Pick<Workspace, 'actor' | 'notify'>;
  operator: Operator;
  wake: () => void;
}

/**
 * A circuit breaker for the calls that file, for a key that the service does not accept. It is
 *
 * - `closed`: calls pass.
 * - `open`, after a SERVICE_UNAUTHORIZED: no call passes, nothing is downloaded or uploaded, and
 *   transfers wait in the ledger. After 10 s at first, then after waits that grow to 5 minutes, the
 *   breaker tries the key: it lists a folder that a transfer waits for.
 * - `half-open`, after such a list succeeded or failed for another permanent reason: calls pass,
 *   and waiting transfers are due. The first successful create closes the breaker; a refusal of the
 *   key opens it again, for longer. A 429, 500 or the like says nothing of the key; after several
 *   in a row calls pass too, as this one folder may be too long to be listed.
 *
 * When the key is refused a second time, one of all instances notifies one person, once per outage:
 * the member who runs Pigeonhole, else the first of those who linked the channels of the waiting
 * files that can be notified. Without either, only the log and `/readyz` report it. A process that
 * starts while files wait for the key tries it before anything else.
 */
export class KeyBreaker {
  /** Filing calls check it: while it is `open`, they fail with keyNotAccepted. */
  state: 'closed' | 'open' | 'half-open' = 'closed';
  readonly #context: KeyBreakerContext;
  /** Trials in this outage. */
  #trials = 0;

  constructor(context: KeyBreakerContext) {
    this.#context = context;
  }

  /** Opens the breaker and tries the key at once if files wait for it. Rejects with LedgerError. */
  async start(): Promise<void> {
    const { ledger, logger, inBackground } = this.#context;
    if (!(await ledger.firstWaitingForKey())) return ledger.dropKeyNotice();
    logger.info('Files wait for a key that the file service accepts: the key is tried now');
    inBackground(this.#mend(0));
  }

  /** Opens the breaker. Must be called when the service has refused the key. */
  open(): void {
    if (this.state === 'open') return;
    const { logger, inBackground } = this.#context;
    logger.error('The file service does not accept the key: files wait');
    inBackground(this.#mend());
  }

  /** Closes the half-open breaker. Must be called when a create has succeeded. */
  close(): void {
    const { ledger, logger, inBackground } = this.#context;
    this.state = 'closed';
    this.#trials = 0;
    logger.info('The file service accepts the key again');
    inBackground(
      ledger
        .dropKeyNotice()
        .catch((error: unknown) =>
          logger.error({ error }, 'The end of the key’s outage could not be recorded'),
        ),
    );
  }

  async #mend(firstTrialMs?: number): Promise<void> {
    // A key that may list but not upload passes each trial: reopening counts as a second refusal.
    const isAgain = this.state === 'half-open';
    this.state = 'open';
    const { ledger, clock, logger, wake, stopping } = this.#context;
    let isAccepted = false;
    let inconclusive = 0;
    const nextMs = () => backoff(this.#trials + 1, WAITS);
    for (let waitMs = firstTrialMs ?? nextMs(); !isAccepted; waitMs = nextMs()) {
      await clock.sleep(waitMs, stopping).catch(() => undefined);
      if (stopping.aborted) return;
      this.#trials += 1;
      isAccepted = await this.#tryKey(isAgain).catch((error: unknown) => {
        const isRefused = isKeyRefused(error);
        inconclusive = isRefused ? 0 : inconclusive + (isHeldBack(error) ? 0 : 1);
        logger.warn({ error, nextInMs: nextMs() }, isRefused ? REFUSED : NOT_KNOWN);
        return inconclusive === MAX_INCONCLUSIVE;
      });
    }
    this.state = 'half-open';
    await ledger
      .hurryWaitingFor(['SERVICE_UNAUTHORIZED'], clock.now())
      .catch((error: unknown) =>
        logger.warn(
          { error },
          'Files that wait for the key could not be made due now; each is tried at its own time',
        ),
      );
    wake();
  }

  async #tryKey(isAgain: boolean): Promise<true> {
    const { ledger, service, stopping: signal } = this.#context;
    const folder = await ledger.firstWaitingForKey();
    if (!folder) return true;
    if (isAgain) await this.#notifyOnce();
    const call = { lane: 'bulk', queue: 'key', signal } as const;
    try {
      await service.peekFiles(folder, call);
    } catch (error) {
      if (isKeyRefused(error)) await this.#notifyOnce();
      // A permanent error concerns the folder, not the key: staying open would block files forever.
      if (!isFinal(error)) throw error;
    }
    return true;
  }

  async #notifyOnce(): Promise<void> {
    const { ledger, operator, clock, logger } = this.#context;
    const member = operatorMember(operator);
    const users = member === null ? await ledger.linkersWaitingForKey() : [member];
    if (users.length === 0 || !(await ledger.claimKeyNotice(clock.now()))) return;
    const view = member === null ? keyRefused({ operator }) : operatorNeeded({ need: 'key' });
    try {
      for (const user of users) if (await this.#isNotified(user, view)) return;
      logger.warn({ users }, 'None of these members can be notified that the key is not accepted');
    } catch (error) {
      logger.warn({ error }, 'Nobody could be notified that the key is not accepted');
    }
    await ledger.dropKeyNotice();
  }

  // Slack also takes messages to deactivated accounts, which nobody reads.
  async #isNotified(user: string, view: View): Promise<boolean> {
    const { workspace } = this.#context;
    const actor = await unlessRefused(workspace.actor(user, null));
    if (actor?.role === 'deactivated') return false;
    return (await unlessRefused(workspace.notify(user, view))) !== null;
  }
}

/** Returns the error of a call that is not sent because the breaker is open. */
export function keyNotAccepted(): ServiceError {
  const message = 'nothing is sent while the service does not accept the key';
  return new ServiceError('SERVICE_UNAUTHORIZED', message, { retry: 'never', sent: 'no' });
}

function isKeyRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'SERVICE_UNAUTHORIZED';
}
