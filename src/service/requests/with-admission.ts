import type { AdmissionRequest, Throttle } from '../throttle/throttle.ts';
import { ServiceError } from './service-error.ts';

/** What becomes of a place in the throttle. */
export interface Place {
  /** To be set when the request is about to leave: the place then stays taken for a window. */
  sent: boolean;
}

/**
 * Runs `use` once the throttle admits it, and gives the place back exactly once, whatever happens.
 * A SERVICE_RATE_LIMITED that `use` rejects with is told to the throttle.
 */
export async function withAdmission<T>(
  line: { throttle: Throttle; request: AdmissionRequest },
  use: (place: Place) => Promise<T>,
): Promise<T> {
  const admission = await line.throttle.admit(line.request);
  const place: Place = { sent: false };
  let rateLimitedForMs: number | undefined;
  try {
    line.request.signal?.throwIfAborted();
    return await use(place);
  } catch (error) {
    rateLimitedForMs = rateLimitOf(error);
    throw error;
  } finally {
    admission.done({ sent: place.sent, rateLimitedForMs });
  }
}

function rateLimitOf(error: unknown): number | undefined {
  const limited = error instanceof ServiceError && error.code === 'SERVICE_RATE_LIMITED';
  return limited ? error.retryAfterMs : undefined;
}
