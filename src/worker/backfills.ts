import type { Random } from '../base/index.ts';
import type { ChannelRef, ReportRow } from '../ledger/index.ts';
import { SlackCallError } from '../slack/index.ts';
import { type BackfillContext, runBackfill } from './backfill.ts';
import { createWakeable } from './wakeable.ts';

const POLL_MS = 30_000;
/** How long a claim holds without being renewed, in milliseconds. */
const CLAIM_MS = 60_000;
const AGAIN_AFTER_MS = 60_000;

interface BackfillsContext extends BackfillContext {
  random: Random;
}

interface Reading {
  abort: AbortController;
  done: Promise<void>;
}

/**
 * Runs the backfills that were asked for. Each is a report in the ledger before anything is read, so
 * that it outlives the process: whoever starts next goes on with it.
 */
export class Backfills {
  readonly #context: BackfillsContext;
  readonly #readings = new Map<string, Reading>();
  readonly #stop = new AbortController();
  readonly #wakeable = createWakeable();
  #loops: Promise<void>[] = [];

  constructor(context: BackfillsContext) {
    this.#context = context;
  }

  start(): void {
    this.#loops = [this.#claimLoop(), this.#renewLoop()];
  }

  /** Resolves when the backfill is in the ledger. One whose history is still read goes on as it is. */
  async begin(channel: ChannelRef, { startedBy }: { startedBy: string }): Promise<void> {
    const { ledger, clock, wake } = this.#context;
    await ledger.beginBackfill(channel, { startedBy, now: clock.now() });
    this.#wakeable.wake();
    wake();
  }

  /** Ends the readings where they are; the next start goes on with them. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopping'));
    for (const { abort } of this.#readings.values()) abort.abort(new Error('stopping'));
    await Promise.all([...this.#loops, ...[...this.#readings.values()].map(({ done }) => done)]);
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, logger } = this.#context;
    while (!signal.aborted) {
      const claimed = await this.#claimNext().catch((error: unknown) => {
        logger.error({ error }, 'No backfill could be claimed');
        return false;
      });
      if (!claimed) await this.#wakeable.wait(POLL_MS, { clock, signal });
    }
  }

  async #claimNext(): Promise<boolean> {
    const { ledger, clock, random } = this.#context;
    const now = clock.now();
    const token = random.id();
    const report = await ledger.claimReading({ now, until: now + CLAIM_MS, token });
    if (!report) return false;
    const abort = new AbortController();
    if (this.#stop.signal.aborted) abort.abort(this.#stop.signal.reason);
    const done = this.#run(report, token, abort.signal).finally(() => this.#readings.delete(token));
    this.#readings.set(token, { abort, done });
    return true;
  }

  async #run(report: ReportRow, token: string, signal: AbortSignal): Promise<void> {
    const claim = { reportId: report.id, token };
    try {
      await runBackfill({ report, claim, signal }, this.#context);
    } catch (error) {
      await this.#settle(report, token, { error, signal }).catch((failure: unknown) =>
        this.#context.logger.error({ error: failure }, 'A backfill waits for its claim to run out'),
      );
    }
  }

  async #settle(
    report: ReportRow,
    token: string,
    { error, signal }: { error: unknown; signal: AbortSignal },
  ): Promise<void> {
    const { ledger, clock, logger } = this.#context;
    const claim = { reportId: report.id, token };
    const now = clock.now();
    if (signal.aborted) return ledger.releaseReading(claim, now);
    const slack = error instanceof SlackCallError ? error : null;
    const hopeless = slack?.code === 'SLACK_REFUSED';
    logger.warn({ channel: report.channel, error, hopeless }, 'A backfill could not go on');
    if (hopeless) return ledger.stopReport(report, now);
    return ledger.releaseReading(claim, now + (slack?.retryAfterMs ?? AGAIN_AFTER_MS));
  }

  async #renewLoop(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await clock.sleep(CLAIM_MS / 3, signal).catch(() => undefined);
      await this.#renew().catch((error: unknown) =>
        logger.error({ error }, 'Claims of backfills could not be renewed'),
      );
    }
  }

  async #renew(): Promise<void> {
    const { ledger, clock } = this.#context;
    const tokens = [...this.#readings.keys()];
    const held = await ledger.renewReadings(tokens, clock.now() + CLAIM_MS);
    for (const token of tokens)
      if (!held.has(token)) this.#readings.get(token)?.abort.abort(new Error('the claim was lost'));
  }
}
