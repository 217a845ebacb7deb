import { catchUp } from './catch-up.ts';
import type { CatchUpContext } from './catch-up-context.ts';
import { createWakeable } from './wakeable.ts';

const HOUR_MS = 60 * 60 * 1000;
/** When to try again after a run that the ledger did not let begin, in milliseconds. */
const AGAIN_MS = 60_000;

/** Runs the catch-up at the start, every hour, and whenever it is asked for; one at a time. */
export class CatchUpSchedule {
  readonly #context: CatchUpContext;
  readonly #stop = new AbortController();
  readonly #wakeable = createWakeable();
  #loop: Promise<void> | null = null;

  constructor(context: CatchUpContext) {
    this.#context = context;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** The connection to Slack was lost for a while: events may be missing. */
  runSoon(): void {
    this.#wakeable.wake();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, logger } = this.#context;
    while (!signal.aborted) {
      const waitMs = await catchUp(this.#context, signal).then(
        () => HOUR_MS,
        (error: unknown) => {
          logger.error({ error }, 'The catch-up failed; it is tried again in a minute');
          return AGAIN_MS;
        },
      );
      await this.#wakeable.wait(waitMs, { clock, signal });
    }
  }
}
