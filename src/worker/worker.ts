import type { Transfer } from '../ledger/index.ts';
import { runTransfer } from './run-transfer.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
import { createWakeable } from './wakeable.ts';

export interface WorkerOptions {
  /** Transfers in hand at once; most of them wait for a place in the service's window. */
  inHand: number;
  /** Of these, how many one queue may have, so that others find a place at once. */
  inHandPerQueue: number;
  /** How long a claim holds without being renewed, in milliseconds. */
  leaseMs: number;
}

export const DEFAULT_WORKER: WorkerOptions = { inHand: 64, inHandPerQueue: 48, leaseMs: 30_000 };

/** Longer than anything waits for its next try; see backoff. */
const LONGEST_WAIT_MS = 2 * 60 * 60_000;
const POLL_MS = 5_000;
const OUTAGE_WAIT_MS = 1_000;

interface Job {
  queue: string;
  /** Until when the claim holds, by our clock. */
  leaseUntil: number;
  abort: AbortController;
  done: Promise<void>;
}

/**
 * Claims due transfers, queue by queue in turn, and takes each through its steps. Leases are renewed
 * while the work lasts; a lease that is lost aborts its work.
 */
export class Worker {
  readonly #context: TransferContext;
  readonly #options: WorkerOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #stop = new AbortController();
  readonly #renewing = new AbortController();
  readonly #wakeable = createWakeable();
  #loops: Promise<void>[] = [];
  #lastQueue = '';

  constructor(context: TransferContext, options: WorkerOptions = DEFAULT_WORKER) {
    this.#context = context;
    this.#options = options;
  }

  start(): void {
    this.#loops = [this.#claimLoop(), this.#renewLoop(), this.#expiryLoop()];
  }

  /** A transfer may be due. */
  wake(): void {
    this.#wakeable.wake();
  }

  /** Transfers in hand now. */
  get inHand(): number {
    return this.#jobs.size;
  }

  /** Claims no more, waits for what is in hand up to `graceMs`, then aborts it and hands it back. */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    await this.#loops[0];
    const jobs = () => Promise.all([...this.#jobs.values()].map((job) => job.done));
    const grace = new AbortController();
    const slept = this.#context.clock.sleep(graceMs, grace.signal).catch(() => undefined);
    await Promise.race([jobs(), slept]);
    grace.abort();
    this.#abortAll('stopping');
    await jobs();
    this.#renewing.abort();
    await Promise.all(this.#loops);
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, logger } = this.#context;
    while (!signal.aborted) {
      try {
        if (!(await this.#claimNext()))
          await this.#wakeable.wait(await this.#idleMs(), { clock, signal });
      } catch (error) {
        logger.error({ error }, 'No transfer could be claimed');
        await clock.sleep(OUTAGE_WAIT_MS, signal).catch(() => undefined);
      }
    }
  }

  async #idleMs(): Promise<number> {
    if (this.#jobs.size >= this.#options.inHand) return POLL_MS;
    const { ledger, clock } = this.#context;
    const next = await ledger.nextDue();
    const now = clock.now();
    const due = next === null ? POLL_MS : next - now;
    if (due > LONGEST_WAIT_MS) {
      await ledger.bringForward({ now, latest: now + LONGEST_WAIT_MS });
      return 0;
    }
    if (due > 0) return Math.min(POLL_MS, due);
    // It came due since the claim, or belongs to a queue that has its fill: a job that ends wakes us.
    return this.#fullQueues().length > 0 ? POLL_MS : 0;
  }

  async #claimNext(): Promise<boolean> {
    if (this.#jobs.size >= this.#options.inHand) return false;
    const after = this.#lastQueue;
    const transfer = (await this.#claim(after)) ?? (after === '' ? null : await this.#claim(''));
    if (!transfer) return false;
    this.#lastQueue = transfer.queue;
    return true;
  }

  async #claim(afterQueue: string) {
    const { ledger, clock, random } = this.#context;
    const token = random.id();
    const now = clock.now();
    const leaseUntil = now + this.#options.leaseMs;
    const exceptQueues = this.#fullQueues();
    const transfer = await ledger.claimTransfer({
      now,
      leaseUntil,
      token,
      afterQueue,
      exceptQueues,
    });
    if (transfer) this.#launch(transfer, { token, leaseUntil });
    return transfer;
  }

  #launch(transfer: Transfer, { token, leaseUntil }: { token: string; leaseUntil: number }): void {
    const abort = new AbortController();
    const job: Job = { queue: transfer.queue, leaseUntil, abort, done: Promise.resolve() };
    const held: HeldTransfer = {
      transfer,
      claim: { id: transfer.id, token },
      signal: abort.signal,
      leaseUntil: () => job.leaseUntil,
    };
    this.#jobs.set(token, job);
    job.done = runTransfer(held, this.#context).finally(() => {
      this.#jobs.delete(token);
      this.#wakeable.wake();
      this.#context.onChange();
    });
  }

  #fullQueues(): string[] {
    const counts = new Map<string, number>();
    for (const { queue } of this.#jobs.values()) counts.set(queue, (counts.get(queue) ?? 0) + 1);
    const most = this.#options.inHandPerQueue;
    return [...counts].filter(([, count]) => count >= most).map(([queue]) => queue);
  }

  async #renewLoop(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#renewing;
    while (!signal.aborted) {
      await clock.sleep(this.#options.leaseMs / 3, signal).catch(() => undefined);
      await this.#renew().catch((error: unknown) =>
        logger.error({ error }, 'Leases could not be renewed'),
      );
    }
  }

  async #renew(): Promise<void> {
    const jobs = new Map(this.#jobs);
    const leaseUntil = this.#context.clock.now() + this.#options.leaseMs;
    const held = await this.#context.ledger.renewLeases([...jobs.keys()], leaseUntil);
    for (const [token, job] of jobs)
      if (held.has(token)) job.leaseUntil = leaseUntil;
      else job.abort.abort(new Error('the lease was lost'));
  }

  // Not left to the renewal: it may itself hang while the lease runs out.
  async #expiryLoop(): Promise<void> {
    const { clock } = this.#context;
    const { signal } = this.#renewing;
    while (!signal.aborted) {
      await clock.sleep(this.#options.leaseMs / 10, signal).catch(() => undefined);
      for (const job of this.#jobs.values())
        if (clock.now() >= job.leaseUntil) job.abort.abort(new Error('the lease ran out'));
    }
  }

  #abortAll(why: string): void {
    for (const job of this.#jobs.values()) job.abort.abort(new Error(why));
  }
}
