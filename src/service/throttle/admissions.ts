import type { Clock, Random } from '../../base/index.ts';
import type { AllowedPlaces } from './allowed-places.ts';
import type { Gate, Pass } from './gate.ts';
import type { HeldCalls } from './held-calls.ts';
import type { Place } from './places.ts';
import type { Admission } from './throttle.ts';

/** So that instances which were told to wait equally long do not come back in the same moment. */
const LONGEST_JITTER_MS = 300;

export interface AdmissionsOptions {
  clock: Clock;
  random: Random;
  gate: Gate;
  calls: HeldCalls;
  allowed: AllowedPlaces;
  /** Told that the service asked to wait until then. */
  onRateLimited: (until: number) => void;
}

/** Makes the admission of a call that has got its place and may pass the gate. */
export function createAdmissions(
  options: AdmissionsOptions,
): (place: Place, pass: Pass) => Admission {
  const { clock, random, gate, calls, allowed } = options;

  function close(rateLimitedForMs: number, sentAt: number): void {
    const until = clock.now() + rateLimitedForMs + random.fraction() * LONGEST_JITTER_MS;
    gate.close(until);
    options.onRateLimited(gate.closedUntil() ?? until);
    allowed.rateLimited(sentAt);
  }

  return (place, pass) => {
    const call = calls.hold(place);
    const sentAt = clock.now();
    let over = false;
    return {
      done({ sent, rateLimitedForMs }) {
        if (over) return;
        over = true;
        call.end(sent);
        if (rateLimitedForMs !== undefined) close(Math.max(0, rateLimitedForMs), sentAt);
        const well = rateLimitedForMs === undefined ? 'well' : 'rate-limited';
        pass.settle(sent ? well : 'not-sent');
      },
    };
  };
}
