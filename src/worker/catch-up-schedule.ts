import { backoff, createWakeable } from '../base/index.ts';
import { slackTsBefore } from '../slack/index.ts';
import type { ReadingContext } from './worker-context.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The waits before another try when not all channels could be listed. */
const RELIST_WAITS = { firstMs: 20_000, longestMs: HOUR_MS, fraction: 0.5 };

interface ScheduleContext extends Omit<ReadingContext, 'eventsSince' | 'random'> {
  /** When the process began, by our clock: the first listing counts as made then. */
  startedAt: number;
}

/**
 * Requests a catch-up of every channel that has a destination: at the start, every hour, and after
 * runSoon. See requestCatchUp. If Slack does not list the channels, requests it for the linked ones
 * and tries to list the others later.
 */
export class CatchUpSchedule {
  readonly #context: ScheduleContext;
  readonly #stop = new AbortController();
  readonly #wakeable = createWakeable();
  #eventsSince: number;
  #loop: Promise<void> | null = null;

  constructor(context: ScheduleContext) {
    this.#context = context;
    this.#eventsSince = context.clock.now();
  }

  /** Must be called when events begin to come in. */
  start(): void {
    this.#eventsSince = this.#context.clock.now();
    this.#loop = this.#run();
  }

  /** Returns since when events come in, by our clock: see ReadingContext. */
  eventsSince(): number {
    return this.#eventsSince;
  }

  /** Must be called when a lost connection to Slack is back: events may be missing. */
  runSoon(): void {
    this.#eventsSince = this.#context.clock.now();
    this.#wakeable.wake();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wakeable.wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, logger, startedAt } = this.#context;
    let begunAt = startedAt;
    for (let failures = 0; !signal.aborted; begunAt = clock.now()) {
      const listedAll = await this.#request(slackTsBefore(begunAt)).catch((error: unknown) => {
        logger.error({ error }, 'The channels to catch up could not be noted');
        return false;
      });
      failures = listedAll ? 0 : failures + 1;
      const waitMs = listedAll ? HOUR_MS : backoff(failures, RELIST_WAITS);
      await this.#wakeable.wait(waitMs, clock);
    }
  }

  /** Resolves with whether all channels could be listed. */
  async #request(begunTs: string): Promise<boolean> {
    const { ledger, workspace, clock, findDestination, wake } = this.#context;
    const { team } = workspace.identity;
    const now = clock.now();
    const { listed, all } = await this.#list(team);
    const channels: string[] = [];
    for (const channel of listed)
      if (await findDestination({ team, channel })) channels.push(channel);
    await ledger.requestCatchUp({ team, channels, all, begunTs, now });
    wake();
    return all;
  }

  async #list(team: string): Promise<{ listed: string[]; all: boolean }> {
    const { ledger, workspace, logger } = this.#context;
    try {
      return { listed: await workspace.channels(), all: true };
    } catch (error) {
      logger.warn({ error }, 'Slack did not list the channels; the linked ones are read');
      return { listed: [...(await ledger.listLinks(team)).keys()], all: false };
    }
  }
}
