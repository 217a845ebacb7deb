import type { Runtime } from '../../base/index.ts';
import { isDirect } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { unlessRefused, type Workspace } from '../../slack/index.ts';
import type { View } from '../kit/layout.ts';
import { type Operator, operatorMember } from '../kit/prose.ts';
import {
  ledgerIsNew,
  missingScopes,
  operatorNeeded,
  permissionsBack,
  scopesMissing,
  TO_READ,
} from './operator-notices.ts';

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
 * Notifies the member who runs Pigeonhole, in a direct message, that the database cannot be written:
 * once, until that is over. Each instance does so by itself: the database, by which they coordinate,
 * may be what is broken. Notifies of missing scopes, which it also logs at each start: one of all
 * instances does, once, also over restarts; and again when that is over. Also of a new ledger where the
 * bot is in channels already: another may have been lost. If the operator is no member, only logs.
 */
export class OperatorWatch {
  readonly #context: OperatorWatchContext;
  readonly #member: string | null;
  #isDiskTold = false;
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
    const all = missingScopes(workspace.identity.scopes);
    if (Object.keys(all).length > 0)
      logger.warn(
        { missing: all },
        'Slack has not granted all scopes: put the current manifest.yml into the app’s settings there and reinstall it',
      );
    if (this.#member === null) return;
    // Once a file cannot be read, all wait, and the hold's notice says so.
    const { [TO_READ]: _, ...missing } = all;
    const names = Object.keys(missing).sort();
    if (!(await ledger.noteMissingScopes(names.join(' ') || null))) return;
    const view = names.length === 0 ? permissionsBack() : scopesMissing({ missing });
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
      const works = await ledger.check().then(
        () => true,
        () => false,
      );
      if (works) this.#isDiskTold = false;
      else if (!this.#isDiskTold) await this.#tellOfDisk();
    }
  }

  async #send(view: View): Promise<void> {
    if (this.#member !== null) await this.#context.workspace.notify(this.#member, view);
  }

  async #tellOfDisk(): Promise<void> {
    try {
      await this.#send(operatorNeeded({ need: 'disk' }));
      this.#isDiskTold = true;
    } catch (error) {
      this.#context.logger.warn({ error, need: 'disk' }, 'The operator could not be notified');
    }
  }
}
