import type { ReportRow, ShareRow, ShareToTell, TellingTable, ToTell } from '../ledger/index.ts';
import { isPermanent, SlackCallError } from '../slack/index.ts';
import { backoff } from '../transfers/index.ts';
import type { HeldTelling, TellContext } from './tell-context.ts';
import { tellReport } from './tell-report.ts';
import { type TellResult, tellShare } from './tell-share.ts';
import { createWakeable } from './wakeable.ts';

const POLL_MS = 5_000;
const OUTAGE_WAIT_MS = 1_000;
/** After so many failures in a row the line is given up; the files are filed all the same. */
const MOST_FAILURES = 40;

/**
 * Keeps the messages of shares and reports up to date, one after another, within Slack's limits:
 * an answer of 429 pauses it. Shares that nothing else speaks for come first, then reports, then the
 * shares of reports. What is due is in the ledger, so nothing is forgotten.
 */
export class Teller {
  readonly #context: TellContext;
  readonly #claimMs: number;
  readonly #stop = new AbortController();
  readonly #wakeable = createWakeable();
  #loop: Promise<void> | null = null;
  #pausedUntil = 0;

  /**
   * @param claimMs how long a message is one teller's alone, in milliseconds: longer than its calls to
   *   Slack can take, and as late as it is when the process dies over it
   */
  constructor(context: TellContext, claimMs: number) {
    this.#context = context;
    this.#claimMs = claimMs;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Something may be due. */
  wake(): void {
    this.#wakeable.wake();
  }

  /** Finishes the message in hand and ends. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopping'));
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, logger } = this.#context;
    while (!signal.aborted) {
      try {
        const told = await this.#tellNext();
        if (!told) await this.#wakeable.wait(await this.#idleMs(), { clock, signal });
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ error }, 'Telling stopped for a moment');
        await clock.sleep(OUTAGE_WAIT_MS, signal).catch(() => undefined);
      }
    }
  }

  async #idleMs(): Promise<number> {
    const now = this.#context.clock.now();
    if (this.#pausedUntil > now) return this.#pausedUntil - now;
    const [share, report] = await Promise.all([
      this.#context.ledger.nextTelling('shares'),
      this.#context.ledger.nextTelling('reports'),
    ]);
    const next = Math.min(share ?? now + POLL_MS, report ?? now + POLL_MS);
    return Math.max(10, Math.min(POLL_MS, next - now));
  }

  async #tellNext(): Promise<boolean> {
    const { clock, random } = this.#context;
    const now = clock.now();
    if (this.#pausedUntil > now) return false;
    const request = { now, claimUntil: now + this.#claimMs, token: random.id() };
    return (
      (await this.#tellShare(request)) ||
      (await this.#tellReport(request)) ||
      (await this.#tellShare({ ...request, spokenFor: true }))
    );
  }

  async #tellShare(request: ShareToTell): Promise<boolean> {
    const share = await this.#context.ledger.claimShareToTell(request);
    if (!share) return false;
    await this.#tell('shares', share, request.token, (claim) =>
      tellShare(share, claim, this.#context),
    );
    return true;
  }

  async #tellReport(request: ToTell): Promise<boolean> {
    const report = await this.#context.ledger.claimReportToTell(request);
    if (!report) return false;
    await this.#tell('reports', report, request.token, (claim) =>
      tellReport(report, claim, this.#context),
    );
    return true;
  }

  async #tell(
    table: TellingTable,
    row: ShareRow | ReportRow,
    token: string,
    tell: (claim: HeldTelling) => Promise<TellResult>,
  ): Promise<void> {
    const claim = { table, id: row.id, token, until: row.tellAt ?? 0 };
    const { ledger, clock } = this.#context;
    const version = row.tellVersion;
    try {
      const result = await tell(claim);
      await ledger.finishTelling(claim, { ...result, version, failed: false, now: clock.now() });
    } catch (error) {
      const tellAgainAt = this.#afterFailure(row, error);
      const told = row.told;
      await ledger.finishTelling(claim, {
        told,
        tellAgainAt,
        version,
        failed: true,
        now: clock.now(),
      });
    }
  }

  /** When to try again; null for never. */
  #afterFailure(row: ShareRow | ReportRow, error: unknown): number | null {
    const { clock, logger, random, backoffScale } = this.#context;
    const now = clock.now();
    const slack = error instanceof SlackCallError ? error : null;
    if (slack?.code === 'SLACK_RATE_LIMITED') {
      this.#pausedUntil = now + (slack.retryAfterMs ?? 1_000);
      return this.#pausedUntil;
    }
    const permanent = isPermanent(error);
    logger.warn(
      { channel: row.channel, error, permanent },
      'A message could not be brought up to date',
    );
    if (permanent || row.tellFailures >= MOST_FAILURES) return null;
    const wait = (backoff(row.tellFailures + 1, random.fraction()) / 2) * backoffScale;
    return now + Math.round(wait);
  }
}
