import { PigeonholeError, type Random } from '../base/index.ts';
import type { ChannelRef, ReadClaim, ReportRow } from '../ledger/index.ts';
import { isPermanent, SlackCallError } from '../slack/index.ts';
import { backoff } from '../transfers/index.ts';
import { type BackfillContext, runBackfill } from './backfill.ts';
import { countEarlier, type EarlierFiles } from './count-earlier.ts';
import { createWakeable } from './wakeable.ts';

const POLL_MS = 30_000;
/** How long a claim holds without being renewed, in milliseconds. */
const CLAIM_MS = 60_000;
/** With the waits between them, some days. */
const MOST_FAILURES = 100;

interface BackfillsContext extends BackfillContext {
  random: Random;
}

interface Reading {
  abort: AbortController;
  done: Promise<void>;
}

interface FailedReading {
  error: unknown;
  signal: AbortSignal;
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

  /** How many files a backfill of this channel would file: see countEarlier. */
  count(channel: ChannelRef): Promise<EarlierFiles> {
    return countEarlier(channel, { ...this.#context, signal: this.#stop.signal });
  }

  /** Resolves when the backfill is in the ledger. One whose history is still read goes on as it is. */
  async begin(channel: ChannelRef, { startedBy }: { startedBy: string }): Promise<void> {
    const { ledger, clock, wake } = this.#context;
    await ledger.beginBackfill(channel, { startedBy, now: clock.now() });
    this.#wakeable.wake();
    wake();
  }

  /** Ends the readings where they are, so that the next start goes on with them, and the counts. */
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
      await this.#settle(claim, { error, signal }).catch((failure: unknown) =>
        this.#context.logger.error({ error: failure }, 'A backfill waits for its claim to run out'),
      );
    }
  }

  async #settle(claim: ReadClaim, { error, signal }: FailedReading): Promise<void> {
    const { ledger, clock, logger, random, wake } = this.#context;
    const now = clock.now();
    if (signal.aborted) return ledger.releaseReading(claim, now);
    const problem = problemOf(error);
    const report = await ledger.findReport(claim.reportId);
    const failures = (report?.readFailures ?? 0) + 1;
    const hopeless = isPermanent(error) || failures >= MOST_FAILURES;
    const told = { channel: report?.channel, error, failures, hopeless };
    logger.warn(told, 'A backfill could not go on');
    if (hopeless) await ledger.failReading(claim, { problem, now });
    else {
      const retryAfterMs = error instanceof SlackCallError ? error.retryAfterMs : undefined;
      const again = now + backoff(failures, random.fraction(), retryAfterMs);
      await ledger.postponeReading(claim, { again, problem, now });
    }
    wake();
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

function problemOf(error: unknown): string {
  if (error instanceof SlackCallError && error.reason) return error.reason;
  return error instanceof PigeonholeError ? error.code : 'UNEXPECTED';
}
