import type { Clock, Logger } from '../base/index.ts';
import { type Need, type Operator, operatorMember, operatorNeeded } from '../blocks/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { SlackFileError, type Workspace } from '../slack/index.ts';

const CHECK_EVERY_MS = 60_000;

export interface OperatorWatchContext {
  ledger: Pick<Ledger, 'check'>;
  workspace: Pick<Workspace, 'notify'>;
  operator: Operator;
  clock: Clock;
  logger: Logger;
}

/**
 * Tells the member who runs Pigeonhole, privately, that the database cannot be written, or that
 * Slack's token does not read files: once, until it is over. Each instance tells by itself, as what
 * they could agree by may be what is broken. Where the operator is no member, nothing is watched. The
 * key has its own: see KeyBreaker.
 */
export class OperatorWatch {
  readonly #context: OperatorWatchContext;
  readonly #member: string | null;
  readonly #stop = new AbortController();
  readonly #told = new Set<Need>();
  #watching: Promise<void> = Promise.resolve();

  constructor(context: OperatorWatchContext) {
    this.#context = context;
    this.#member = operatorMember(context.operator);
  }

  /** Begins to watch the database. */
  start(): void {
    if (this.#member !== null) this.#watching = this.#watchDatabase();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopping'));
    await this.#watching;
  }

  /** The same download, by whose failures it is seen that the token does not do. */
  guard(download: Workspace['download']): Workspace['download'] {
    return async (...given) => {
      try {
        const opened = await download(...given);
        this.#told.delete('token');
        return opened;
      } catch (error) {
        if (isTokenRefused(error)) await this.#tell('token');
        throw error;
      }
    };
  }

  async #watchDatabase(): Promise<void> {
    const { clock, ledger } = this.#context;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await clock.sleep(CHECK_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await ledger.check().then(
        () => this.#told.delete('disk'),
        () => this.#tell('disk'),
      );
    }
  }

  async #tell(need: Need): Promise<void> {
    if (this.#member === null || this.#told.has(need)) return;
    this.#told.add(need);
    try {
      await this.#context.workspace.notify(this.#member, operatorNeeded({ need }));
    } catch (error) {
      this.#told.delete(need);
      this.#context.logger.warn({ error, need }, 'The operator could not be notified');
    }
  }
}

// A sign-in page in the place of a file comes for any file where the token is without `files:read`.
function isTokenRefused(error: unknown): boolean {
  return error instanceof SlackFileError && error.code === 'SLACK_FILE_SIGN_IN_PAGE';
}
