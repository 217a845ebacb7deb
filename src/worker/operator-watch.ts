import type { Runtime } from '../base/index.ts';
import {
  ledgerIsNew,
  missingScopes,
  type Need,
  type Operator,
  operatorMember,
  operatorNeeded,
  scopesMissing,
} from '../blocks/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type SlackFileError, unlessRefused, type Workspace } from '../slack/index.ts';
import { isDirect, type SharedFile } from '../transfers/index.ts';

const CHECK_EVERY_MS = 60_000;
const NEW_LEDGER =
  'The ledger is new, but the bot is in channels already: no link is known, and no file that was in hand. If Pigeonhole ran here before, stop it, put the old ledger back (DATABASE_URL, DATA_DIR) and start again: what was in hand is filed then';

interface OperatorWatchContext extends Runtime {
  /** Whether no process before has worked with the ledger. */
  isFirstRun: boolean;
  ledger: Pick<Ledger, 'check' | 'noteMissingScopes'>;
  workspace: Pick<Workspace, 'actor' | 'identity' | 'notify'>;
  operator: Operator;
}

/**
 * Notifies the member who runs Pigeonhole, in a direct message, that the database cannot be written
 * or that Slack's token may not read files: once, until that is over. Each instance notifies by
 * itself: the database, by which they coordinate, may be what is broken. Logs missing scopes at
 * each start, and notifies about them once. The same for a new ledger where the bot is in channels
 * already: another may have been lost. If the operator is no member, only logs these.
 * KeyBreaker watches the service's key.
 */
export class OperatorWatch {
  /** The file that Slack denied last. Must be set to null when a download has succeeded. */
  denied: string | null = null;
  readonly #context: OperatorWatchContext;
  readonly #member: string | null;
  readonly #notified = new Set<Need>();
  #mayBeLost: boolean;

  constructor(context: OperatorWatchContext) {
    this.#context = context;
    this.#member = operatorMember(context.operator);
    this.#mayBeLost = context.isFirstRun;
  }

  /** Checks the member and the scopes, and begins to watch the database. */
  start(): void {
    const { logger, inBackground } = this.#context;
    const member = this.#checkMember().catch((error: unknown) =>
      logger.warn({ error }, 'Slack did not say whether OPERATOR is a member'),
    );
    const scopes = this.#checkScopes().catch((error: unknown) =>
      logger.warn(
        { error },
        'Missing scopes could not be recorded, or the operator not notified of them',
      ),
    );
    inBackground(Promise.all([member, scopes]));
    if (this.#member !== null) inBackground(this.#watchDatabase());
  }

  /**
   * Must be called when a download has failed: the token may not read files. Without `files:read`,
   * Slack answers every download with its sign-in page, or leads it there. It also leads there from
   * a file that the app may not see, so one such file alone proves nothing.
   */
  async downloadFailed({ id }: SharedFile, { code }: SlackFileError): Promise<void> {
    const isPage = code === 'SLACK_FILE_SIGN_IN_PAGE';
    if (!isPage && code !== 'SLACK_FILE_DENIED') return;
    const before = this.denied;
    this.denied = id;
    if (before === null) this.#notified.delete('token');
    if (isPage || (before !== null && before !== id)) await this.#notify('token');
  }

  /** Must be called with the channels and direct messages that the bot is in. */
  channelsListed(listed: readonly string[]): void {
    const channels = listed.filter((channel) => !isDirect({ channel })).length;
    const mayBeLost = this.#mayBeLost && channels > 0;
    // Only the first list shows where the bot was before this start.
    this.#mayBeLost = false;
    if (!mayBeLost) return;
    const { logger, workspace, inBackground } = this.#context;
    logger.warn({ channels }, NEW_LEDGER);
    if (this.#member === null) return;
    const told = workspace.notify(this.#member, ledgerIsNew({ channels }));
    const message = 'The operator could not be notified of the new ledger';
    inBackground(told.catch((error: unknown) => logger.warn({ error }, message)));
  }

  async #checkMember(): Promise<void> {
    const { workspace, logger } = this.#context;
    if (this.#member === null) return;
    const actor = await unlessRefused(workspace.actor(this.#member, null), 'user_not_found');
    if (actor === null || actor.role === 'deactivated' || actor.role === 'bot')
      logger.warn(
        { operator: this.#member },
        'OPERATOR isn’t a member of this workspace, so nobody is notified of what needs attention: copy the member ID again',
      );
  }

  async #checkScopes(): Promise<void> {
    const { ledger, workspace, logger } = this.#context;
    const missing = missingScopes(workspace.identity.scopes);
    const names = Object.keys(missing);
    if (names.length > 0)
      logger.warn(
        { missing },
        'Slack has not granted all scopes: put the current manifest.yml into the app’s settings there and reinstall it',
      );
    if (this.#member === null) return;
    const isNews = await ledger.noteMissingScopes(names.join(' ') || null);
    if (!isNews || names.length === 0) return;
    await workspace
      .notify(this.#member, scopesMissing({ missing }))
      .catch(async (error: unknown) => {
        await ledger.noteMissingScopes(null);
        throw error;
      });
  }

  async #watchDatabase(): Promise<void> {
    const { clock, ledger, stopping } = this.#context;
    while (!stopping.aborted) {
      await clock.sleep(CHECK_EVERY_MS, stopping).catch(() => undefined);
      if (stopping.aborted) return;
      await ledger.check().then(
        () => this.#notified.delete('disk'),
        () => this.#notify('disk'),
      );
    }
  }

  async #notify(need: Need): Promise<void> {
    if (this.#member === null || this.#notified.has(need)) return;
    this.#notified.add(need);
    try {
      await this.#context.workspace.notify(this.#member, operatorNeeded({ need }));
    } catch (error) {
      this.#notified.delete(need);
      this.#context.logger.warn({ error, need }, 'The operator could not be notified');
    }
  }
}
