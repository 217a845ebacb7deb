import { type Clock, startDeadline } from '../../base/index.ts';
import { PATIENCE_MS } from './patience.ts';
import { rateLimited } from './rate-limited.ts';
import type { Admission, AdmissionRequest, Throttle } from './throttle.ts';

/**
 * A throttle that keeps nobody waiting in the interactive lane longer than a person's patience, and
 * nobody at all where a 429 holds everybody back for longer than the lane's: it rejects with
 * SERVICE_RATE_LIMITED. For a place alone the bulk lane waits as long as it takes.
 */
export function patientThrottle(throttle: Throttle, clock: Clock): Throttle {
  return {
    admit: async (request) => {
      const closedForMs = closedFor(throttle, clock);
      if (closedForMs > PATIENCE_MS[request.lane]) throw noPlace(closedForMs);
      return request.lane === 'bulk'
        ? throttle.admit(request)
        : admitInTime(throttle, request, clock);
    },
    state: () => throttle.state(),
    check: () => throttle.check(),
    stop: () => throttle.stop(),
  };
}

async function admitInTime(
  throttle: Throttle,
  request: AdmissionRequest,
  clock: Clock,
): Promise<Admission> {
  const deadline = startDeadline({
    clock,
    signal: request.signal,
    timeoutMs: PATIENCE_MS.interactive,
    timedOut: () => noPlace(closedFor(throttle, clock)),
  });
  try {
    return await throttle.admit({ ...request, signal: deadline.signal });
  } finally {
    deadline.stop();
  }
}

function closedFor(throttle: Throttle, clock: Clock): number {
  return (throttle.state().closedUntil ?? 0) - clock.now();
}

function noPlace(closedForMs: number) {
  return rateLimited('no place in the rate window came free in time', closedForMs);
}
