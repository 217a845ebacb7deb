import { type Clock, type Logger, within } from '../../base/index.ts';

/**
 * Which one of several processes may send requests, where they share a database and no Redis:
 *
 * - *standing by*: another process holds the lease. A process that starts asks for it, once.
 * - *waiting*: this process has taken the lease over, and waits until the requests of the holder
 *   before lie a window back.
 * - *sending*: requests are admitted, as long as the lease is renewed in time.
 * - *draining*: a newer process asks for the lease. Nothing more is admitted, and once the calls in
 *   flight have ended, the lease is given up.
 */

/** How long a lease holds unless it is renewed, in milliseconds. */
const LEASE_MS = 4_000;
/** How long before its end the last request is admitted, in milliseconds: it is to arrive by then. */
const ARRIVAL_MS = 1_000;
/** The time between two renewals, or between two looks at another's lease, in milliseconds. */
const EVERY_MS = 1_000;
/** The same while calls end that the lease's next holder waits for. */
const DRAINING_EVERY_MS = 100;
/** How long these may take, in milliseconds; a longer one was counted when it arrived. */
const DRAIN_MS = 20_000;
/** Allowance for the drift between the clocks of the service and of the processes in a window. */
const MARGIN_MS = 25;
/** How long who has handed the lease over leaves it to others, in milliseconds. */
const LEFT_TO_OTHERS_MS = LEASE_MS;

/** The lease, in the database that the processes share. */
export interface Sender {
  /**
   * Takes or renews the lease; null while another process holds it. `sentUntil`: when the holders
   * before can last have sent, by the database's clock, and `sentAgoMs`: how long ago that is; null
   * if there was none. `isAsked`: whether a newer process asks for it.
   */
  keepSending(lease: {
    process: string;
    leaseMs: number;
  }): Promise<{ sentUntil: number | null; sentAgoMs: number | null; isAsked: boolean } | null>;
  /** Asks the holder to hand it over. */
  askToSend(process: string): Promise<void>;
  /** Gives it up. */
  stopSending(process: string): Promise<void>;
}

interface RightToSendOptions {
  sender: Sender;
  /** Identifies this process; random. */
  process: string;
  /** How long a request counts, in milliseconds. */
  windowMs: number;
  clock: Clock;
  logger: Logger;
  /** Whether calls are in flight. */
  isSending(): boolean;
  /** Called whenever requests may be sent, or no longer. */
  onChange(mayBeSent: boolean): void;
}

/** What this process does with a lease that it has taken. */
interface Turn {
  /** When the holders before can last have sent, by the database's clock; null if none has. */
  sentUntil: number | null;
  /** Whether that is less than a window ago. */
  isWaiting: boolean;
  /** Until when calls in flight may end, by our clock; null unless draining. */
  drainsUntil: number | null;
}

/** Holds the right to send whenever the other processes let it, until stopped. */
export function holdRightToSend(options: RightToSendOptions) {
  const { sender, process, windowMs, clock, logger, isSending, onChange } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The lease as last renewed, by our clock. */
  let lease = { endsAt: Number.NEGATIVE_INFINITY, isOver: true };
  /** Null while standing by. */
  let turn: Turn | null = null;
  let isNewest = true;
  let wasHeld = false;

  // A frozen process notices by the clock, before its timers fire; a timer notices also if the clock
  // stands still or is set back.
  const isHeld = () =>
    turn !== null &&
    !(turn.isWaiting || turn.drainsUntil !== null || lease.isOver || signal.aborted) &&
    clock.now() < lease.endsAt;

  function changed(): void {
    const held = isHeld();
    if (held === wasHeld) return;
    wasHeld = held;
    if (held) logger.info('This process sends the requests to the file service');
    else if (turn?.drainsUntil === null) logger.warn(LOST);
    onChange(held);
  }

  // Counts from before the database is asked, so that the lease ends here before it ends there.
  function beginLease(): typeof lease {
    const lastsMs = LEASE_MS - ARRIVAL_MS;
    const begun = { endsAt: clock.now() + lastsMs, isOver: false };
    const end = () => {
      begun.isOver = true;
      changed();
    };
    clock.sleep(lastsMs, signal).then(end, () => undefined);
    return begun;
  }

  async function keep(): Promise<number> {
    const begun = beginLease();
    const asked = () => sender.keepSending({ process, leaseMs: LEASE_MS });
    const kept = await within({ clock, timeoutMs: LEASE_MS, timedOut }, asked);
    if (!kept) return standBy();
    lease = begun;
    const { sentUntil, sentAgoMs, isAsked } = kept;
    if (turn?.sentUntil !== sentUntil) turn = beginTurn(sentUntil, sentAgoMs);
    return isAsked ? drain(turn) : sending();
  }

  function beginTurn(sentUntil: number | null, sentAgoMs: number | null): Turn {
    const begun: Turn = { sentUntil, isWaiting: false, drainsUntil: null };
    const waitMs = windowMs + MARGIN_MS - (sentAgoMs ?? Number.POSITIVE_INFINITY);
    if (waitMs > 0) {
      begun.isWaiting = true;
      const end = () => {
        begun.isWaiting = false;
        changed();
      };
      clock.sleep(Math.min(waitMs, windowMs + MARGIN_MS), signal).then(end, () => undefined);
    }
    return begun;
  }

  function sending(): number {
    isNewest = false;
    changed();
    return EVERY_MS;
  }

  // Only who starts asks: else two processes would take the lease from each other for ever.
  async function standBy(): Promise<number> {
    if (turn !== null || isNewest) logger.info(STANDING_BY);
    turn = null;
    changed();
    if (isNewest) await sender.askToSend(process);
    isNewest = false;
    return EVERY_MS;
  }

  async function drain(own: Turn): Promise<number> {
    own.drainsUntil ??= clock.now() + DRAIN_MS;
    changed();
    if (isSending() && clock.now() < own.drainsUntil) return DRAINING_EVERY_MS;
    await sender.stopSending(process);
    turn = null;
    logger.info('A newer process sends the requests to the file service from now on');
    return LEFT_TO_OTHERS_MS;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await keep().catch((error: unknown) => {
        logger.debug({ error }, 'The right to send could not be renewed');
        return EVERY_MS;
      });
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  const running = run();
  return {
    /** Whether a request may be sent now. */
    isHeld,
    /** Whether another process holds it, or may. */
    isElsewhere: () => turn === null,
    /** Gives the right up. Must be called when no call is in flight any more. */
    stop: async (): Promise<void> => {
      stopping.abort(new Error('stopping'));
      await running;
      await sender.stopSending(process);
    },
  };
}

const timedOut = () => new Error(`no answer within ${LEASE_MS / 1000} s`);
const LOST = 'The right to send requests could not be renewed in time: nothing is sent until it is';
const STANDING_BY = 'Another process sends the requests to the file service: this one stands by';
