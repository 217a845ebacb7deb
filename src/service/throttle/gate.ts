import { type Clock, LONGEST_WAIT_MS } from '../../base/index.ts';
import type { Lane } from './throttle.ts';

/**
 * What an answer of 429 does to everybody. The gate is
 *
 * - `open`: calls pass.
 * - `closed`, from a 429 until the time that the service named: nobody passes. Another 429 may move
 *   that time on, never back.
 * - `half open`, from that time until a probe is answered: one call passes, a person's first.
 * - `cautious`, for one window after the probe's good answer: bulk calls pass, paced without a
 *   burst; calls of people pass one after another, each when the one before has been answered.
 */
export interface Gate {
  /** Whether a call of this lane may pass now. */
  mayPass(lane: Lane): boolean;
  /** Passes one call; null when it may not pass. */
  pass(lane: Lane): Pass | null;
  /** Nobody passes until `until` (our clock's time), but for ten minutes at the most. */
  close(until: number): void;
  /** Until when nobody passes; null when that is over: half open, cautious or open. */
  closedUntil(): number | null;
  /** Whether a 429 is recent: closed, half open or cautious. */
  cautious(): boolean;
}

/** One call that passed. */
export interface Pass {
  /** Told once the call is over; `well`: it was sent, and not answered with 429. */
  settle(outcome: 'well' | 'rate-limited' | 'not-sent'): void;
}

export interface GateOptions {
  clock: Clock;
  /** How long to be cautious after the probe, in milliseconds. */
  windowMs: number;
  /** Whether a person waits: then the probe is theirs. */
  interactiveWaits: () => boolean;
  /** Told when nobody passes until then, and of each later time that this is moved on to. */
  onClose: (until: number) => void;
  /** Told when a probe has been answered well. */
  onOpen: () => void;
  /** Called whenever somebody may pass who might not before. */
  onChange: () => void;
  /** Ends the gate's timers. */
  signal: AbortSignal;
}

/** An open gate. */
export function createGate(options: GateOptions): Gate {
  const { clock, windowMs, interactiveWaits, onClose, onOpen, onChange, signal } = options;
  let closedUntil: number | null = null;
  let cautiousUntil = 0;
  // The only call that may be under way: the probe while half open, a person's while cautious.
  let alone: Pass | null = null;

  // Timers may end a little early, and leave a rest. A rest that did not shrink means that the clock
  // was set back: the time has been slept through all the same.
  async function sleepUntil(time: number): Promise<void> {
    for (let left = time - clock.now(), rest = left; rest > 0; left = rest) {
      await clock.sleep(Math.ceil(left), signal);
      rest = time - clock.now();
      if (rest >= left) return;
    }
  }

  // That the time is over is remembered: a clock that is set back later would bring it back.
  async function halfOpenAt(time: number): Promise<void> {
    await sleepUntil(time);
    if (closedUntil === time) closedUntil = Number.NEGATIVE_INFINITY;
    onChange();
  }

  async function endCautionAt(time: number): Promise<void> {
    await sleepUntil(time);
    if (cautiousUntil === time) cautiousUntil = 0;
    onChange();
  }

  // What is further off than anybody is believed was named by a clock that has been set back since.
  function isToCome(time: number): boolean {
    const leftMs = time - clock.now();
    return leftMs > 0 && leftMs <= Math.max(LONGEST_WAIT_MS, windowMs);
  }

  function mayPass(lane: Lane): boolean {
    if (closedUntil !== null) {
      if (isToCome(closedUntil) || alone) return false;
      return lane === 'interactive' || !interactiveWaits();
    }
    return lane === 'bulk' || !alone || !isToCome(cautiousUntil);
  }

  function pass(lane: Lane): Pass | null {
    if (!mayPass(lane)) return null;
    const probing = closedUntil !== null;
    const own: Pass = { settle: (outcome) => settle(own, probing && outcome === 'well') };
    if (probing || (lane === 'interactive' && isToCome(cautiousUntil))) alone = own;
    return own;
  }

  function settle(own: Pass, opens: boolean): void {
    if (alone !== own) return;
    alone = null;
    if (opens) open();
    onChange();
  }

  function open(): void {
    closedUntil = null;
    cautiousUntil = clock.now() + windowMs;
    endCautionAt(cautiousUntil).catch(() => {});
    onOpen();
  }

  function close(asked: number): void {
    const until = Math.min(asked, clock.now() + LONGEST_WAIT_MS);
    if (closedUntil !== null && until <= closedUntil && isToCome(closedUntil)) return;
    closedUntil = until;
    // A probe that is still under way was sent before this 429 and proves nothing any more.
    alone = null;
    halfOpenAt(until).catch(() => {});
    onClose(until);
  }

  return {
    mayPass,
    pass,
    close,
    closedUntil: () => (closedUntil !== null && isToCome(closedUntil) ? closedUntil : null),
    cautious: () => closedUntil !== null || isToCome(cautiousUntil),
  };
}
