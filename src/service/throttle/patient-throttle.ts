import type { Clock } from '../../base/index.ts';
import { startDeadline } from '../requests/deadline.ts';
import { ServiceError } from '../requests/service-error.ts';
import type { Admission, AdmissionRequest, Throttle } from './throttle.ts';

/** How long a person waits for a place before an answer that says why is better than none. */
const PATIENCE_MS = 8_000;

/**
 * A throttle that keeps nobody waiting in the interactive lane longer than a person's patience:
 * then, or at once when a 429 holds everybody back for longer, it rejects with
 * SERVICE_RATE_LIMITED. The bulk lane waits as long as it takes.
 */
export function patientThrottle(throttle: Throttle, clock: Clock): Throttle {
  return {
    admit: (request) =>
      request.lane === 'bulk' ? throttle.admit(request) : admitInTime(throttle, request, clock),
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
  const closedForMs = () => (throttle.state().closedUntil ?? 0) - clock.now();
  if (closedForMs() > PATIENCE_MS) throw noPlace(closedForMs());
  const deadline = startDeadline({
    clock,
    signal: request.signal,
    timeoutMs: PATIENCE_MS,
    timedOut: () => noPlace(closedForMs()),
  });
  try {
    return await throttle.admit({ ...request, signal: deadline.signal });
  } finally {
    deadline.stop();
  }
}

function noPlace(closedForMs: number): ServiceError {
  return new ServiceError('SERVICE_RATE_LIMITED', 'no place in the rate window came free in time', {
    retry: 'later',
    sent: 'no',
    retryAfterMs: Math.max(1_000, closedForMs),
  });
}
