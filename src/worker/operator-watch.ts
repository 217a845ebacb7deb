import type { Runtime } from '../base/index.ts';
import {
  ledgerIsNew,
  missingScopes,
  type Need,
  type Operator,
  operatorMember,
  operatorNeeded,
  permissionsBack,
  scopesMissing,
  type View,
} from '../blocks/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type SlackFileError, unlessRefused, type Workspace } from '../slack/index.ts';
import { isDirect } from '../transfers/index.ts';

const CHECK_EVERY_MS = 60_000;
const NEW_LEDGER =
  'The ledger is new, but the bot is in channels already: no link is known, and no file that was in hand. If Pigeonhole ran here before, stop it, put the old ledger back (DATABASE_URL, DATA_DIR) and start again: what was in hand is filed then';

interface OperatorWatchContext extends Runtime {
  /** Whether no process before has worked with the ledger. */
  isFirstRun: boolean;
  ledger: Pick<Ledger, 'check' | 'hurryWaitingFor' | 'noteMissingScopes'>;
  workspace: Pick<Workspace, 'actor' | 'identity' | 'notify'>;
  operator: Operator;
  wake: () => void;
}

/** The scope without which no file can be read. Noted as missing also while the token is refused. */
const TO_READ = 'files:read';

/**
 * Notifies the member who runs Pigeonhole, in a direct message, that the database cannot be written:
 * once, until that is over. Each instance does so by itself: the database, by which they coordinate,
 * may be what is broken. Notifies of missing scopes, which it also logs at each start, and of a token
 * that reads no files: one of all instances does, once, also over restarts; and again when that is
 * over. Also of a new ledger where the bot is in channels already: another may have been lost. If the
 * operator is no member, only logs. KeyBreaker watches the service's key.
 */
export class OperatorWatch {
  readonly #context: OperatorWatchContext;
  readonly #member: string | null;
  readonly #notified = new Set<Need>();
  #mayBeLost: boolean;
  /** The scopes that were missing at the start. */
  readonly #missing: readonly string[];
  /** Whether Slack has refused the token since it last gave this process a file. */
  #isRefused = false;
  /** Whether it falls to this process to notify the operator of that. */
  #owesNotice = false;

  constructor(context: OperatorWatchContext) {
    this.#context = context;
    this.#member = operatorMember(context.operator);
    this.#mayBeLost = context.isFirstRun;
    this.#missing = Object.keys(missingScopes(context.workspace.identity.scopes));
  }

  /**
   * Checks the member and the scopes, and begins to watch the database. Makes due what waits for the
   * token: it may be another one.
   */
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
    inBackground(Promise.all([member, scopes, this.#hurry()]));
    if (this.#member !== null) inBackground(this.#watchDatabase());
  }

  /** Must be called when a file could not be read: the token may be refused. Never rejects. */
  async failed({ code, message: reason }: SlackFileError): Promise<void> {
    if (code !== 'SLACK_FILE_UNAUTHORIZED') return;
    const { logger } = this.#context;
    if (!this.#isRefused) logger.error({ reason }, 'Slack lets the app read no files: they wait');
    this.#isRefused = true;
    if (this.#member === null) return;
    try {
      if (await this.#noteMissing([...this.#missing, TO_READ])) this.#owesNotice = true;
      if (!this.#owesNotice) return;
      this.#owesNotice = false;
      this.#owesNotice = !(await this.#notify('token'));
    } catch (error) {
      logger.warn({ error }, 'That Slack refuses the token could not be recorded');
    }
  }

  /** Must be called when a file can be read: the token works. */
  succeeded(): void {
    if (!this.#isRefused) return;
    [this.#isRefused, this.#owesNotice] = [false, false];
    this.#notified.delete('token');
    const { logger, inBackground } = this.#context;
    logger.info('Slack lets the app read files again');
    const over = this.#noteMissing(this.#missing).then(async (isNews) => {
      if (isNews) await this.#send(permissionsBack());
    });
    const said = over.catch((error: unknown) =>
      logger.warn({ error }, 'That the token works again could not be recorded or said'),
    );
    inBackground(Promise.all([said, this.#hurry()]));
  }

  async #hurry(): Promise<void> {
    const { ledger, clock, logger, wake } = this.#context;
    await ledger
      .hurryWaitingFor(['SLACK_FILE_UNAUTHORIZED'], clock.now())
      .catch((error: unknown) => logger.warn({ error }, 'Waiting files could not be made due'));
    wake();
  }

  /** Resolves with whether that is news, to all instances. */
  #noteMissing(scopes: readonly string[]): Promise<boolean> {
    const names = [...new Set(scopes)].sort();
    return this.#context.ledger.noteMissingScopes(names.join(' ') || null);
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
    const isComplete = this.#missing.length === 0;
    if (!isComplete)
      logger.warn(
        { missing },
        'Slack has not granted all scopes: put the current manifest.yml into the app’s settings there and reinstall it',
      );
    if (this.#member === null) return;
    if (!(await this.#noteMissing(this.#missing))) return;
    const view = isComplete ? permissionsBack() : scopesMissing({ missing });
    await this.#send(view).catch(async (error: unknown) => {
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
        async () => void (await this.#notify('disk')),
      );
    }
  }

  async #send(view: View): Promise<void> {
    if (this.#member !== null) await this.#context.workspace.notify(this.#member, view);
  }

  /** Resolves with whether the operator has been notified, now or before. */
  async #notify(need: Need): Promise<boolean> {
    if (this.#notified.has(need)) return true;
    this.#notified.add(need);
    try {
      await this.#send(operatorNeeded({ need }));
      return true;
    } catch (error) {
      this.#notified.delete(need);
      this.#context.logger.warn({ error, need }, 'The operator could not be notified');
      return false;
    }
  }
}
