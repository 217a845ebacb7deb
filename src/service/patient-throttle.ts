import { type Clock, startDeadline } from '../base/index.ts';
import { notSent } from './service-error.ts';
import type { Admission, AdmissionRequest, Lane, Throttle } from './throttle/throttle.ts';

/**
 * How long a call waits to be let through, in milliseconds. A person is better served by an answer
 * that says why; files go back to the ledger, where their people see what is waited for.
 */
export const PATIENCE_MS: Record<Lane, number> = { interactive: 8_000, bulk: 30_000 };

/**
 * A throttle that keeps nobody waiting in the interactive lane longer than a person's patience, and
 * nobody at all where a 429 holds everybody back for longer than the lane's: it rejects with
 * SERVICE_RATE_LIMITED. For a slot alone the bulk lane waits as long as it takes.
 */
export function patientThrottle(throttle: Throttle, clock: Clock): Throttle {
  const heldForMs = () => (throttle.state().closedUntil ?? 0) - clock.now();
  const noSlot = () =>
    notSent('SERVICE_RATE_LIMITED', 'no slot of the rate window came free in time', heldForMs());

  async function admitInTime(request: AdmissionRequest): Promise<Admission> {
    const { signal } = request;
    const timeoutMs = PATIENCE_MS.interactive;
    const deadline = startDeadline({ clock, signal, timeoutMs, timedOut: noSlot });
    try {
      return await throttle.admit({ ...request, signal: deadline.signal });
    } finally {
      deadline.stop();
    }
  }

  return {
    ...throttle,
    admit: async (request) => {
      if (heldForMs() > PATIENCE_MS[request.lane]) throw noSlot();
      return request.lane === 'bulk' ? throttle.admit(request) : admitInTime(request);
    },
  };
}
