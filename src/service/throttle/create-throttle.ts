import { ServiceError } from '../service-error.ts';
import { admitNext, type LanePump } from './lane-pump.ts';
import type { Admission, AdmissionRequest, Throttle, ThrottleState } from './throttle.ts';
import { decideThrottleSettings, type ThrottleOptions } from './throttle-options.ts';
import { createThrottleParts, type ThrottleParts } from './throttle-parts.ts';

/** How long to wait, in milliseconds, before the shared store is asked again. */
const RETRY_MS = 1000;

/**
 * The account's rate limit, kept as a true sliding window (service interface, section 8): a place is
 * taken before a request is sent and comes back one window after its answer. `admit` rejects with
 * ServiceError SERVICE_STOPPED once stopped, SERVICE_SHARE_USED where a person has asked for too much,
 * SERVICE_RATE_LIMITED when the service asks for more patience than the lane has, or with the reason of
 * the request's signal. While Redis cannot be reached nothing is admitted: calls wait.
 */
export function createThrottle(options: ThrottleOptions): Throttle {
  return new WindowThrottle(createThrottleParts(decideThrottleSettings(options)));
}

class WindowThrottle implements Throttle {
  readonly #parts: ThrottleParts;
  #stopped: Promise<void> | null = null;

  constructor(parts: ThrottleParts) {
    this.#parts = parts;
    for (const pump of parts.pumps) void this.#run(pump);
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    this.#parts.stopping.signal.throwIfAborted();
    const { lane, queue } = request;
    if (lane === 'interactive' && queue !== undefined) return this.#admitPerson(queue, request);
    return this.#parts.lines[lane].join(request);
  }

  async #admitPerson(person: string, request: AdmissionRequest): Promise<Admission> {
    const share = this.#parts.persons.take(person);
    if ('waitMs' in share) throw shareUsed(share.waitMs);
    try {
      const admission = await this.#parts.lines.interactive.join(request);
      return {
        done: (outcome) => {
          share.end({ counts: outcome.sent });
          admission.done(outcome);
        },
      };
    } catch (error) {
      share.end({ counts: false });
      throw error;
    }
  }

  state(): ThrottleState {
    const { lines, calls, allowed, gate } = this.#parts;
    return {
      waiting: { interactive: lines.interactive.size(), bulk: lines.bulk.size() },
      taken: calls.count(),
      allowed: allowed.count(),
      closedUntil: gate.closedUntil(),
    };
  }

  check(): Promise<void> {
    return this.#parts.consult();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { stopping, lines, calls, places, redis, lettingGo } = this.#parts;
    const reason = new ServiceError('SERVICE_STOPPED', 'The throttle has been stopped.', {
      retry: 'later',
      sent: 'no',
    });
    stopping.abort(reason);
    lines.interactive.clear(reason);
    lines.bulk.clear(reason);
    // Others share these places: one that is given back early would let them exceed the limit, and
    // one that is abandoned would stay taken until it expires.
    if (redis) await calls.drained();
    lettingGo.abort();
    places.stop();
    redis?.disconnect();
  }

  async #run(pump: LanePump): Promise<void> {
    const { settings, stopping, onError } = this.#parts;
    while (!stopping.signal.aborted) {
      try {
        await admitNext(pump);
      } catch (error) {
        onError(error);
        await settings.clock.sleep(RETRY_MS, stopping.signal).catch(() => {});
      }
    }
  }
}

function shareUsed(waitMs: number): ServiceError {
  return new ServiceError('SERVICE_SHARE_USED', 'one person has all places that one may have', {
    retry: 'later',
    sent: 'no',
    retryAfterMs: waitMs,
  });
}
