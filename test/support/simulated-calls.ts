import { systemClock } from '../../src/base/index.ts';
import type { Throttle } from '../../src/service/index.ts';
import type { AdmissionRequest } from '../../src/service/throttle/limits.ts';

/** One call through a throttle; times in milliseconds since the epoch. */
export interface SimulatedCall {
  name: string;
  askedAt: number;
  sentAt: number;
  answeredAt: number;
}

export interface CallPlan extends Partial<AdmissionRequest> {
  name?: string;
  /** How long the service takes to respond, in milliseconds. */
  latencyMs?: number;
  /** The `Retry-After` of a 429 response, in milliseconds. */
  rateLimitedForMs?: number | undefined;
  /** If false, the call returns its slot unused. */
  sent?: boolean;
}

/** Calls made through a throttle, in the order of sending; unsent ones are left out. */
export interface SimulatedCalls {
  sent: SimulatedCall[];
  /** Makes a call; resolves with its record, rejects if it is not admitted. */
  call(plan?: CallPlan): Promise<SimulatedCall>;
}

/** Sends no request; waits as long as a request would take. */
export function simulateCalls(throttle: Throttle): SimulatedCalls {
  const sent: SimulatedCall[] = [];

  async function call(plan: CallPlan = {}): Promise<SimulatedCall> {
    const { name = '', latencyMs = 20, sent: sends = true, rateLimitedForMs } = plan;
    const askedAt = Date.now();
    const admission = await throttle.admit({ lane: 'bulk', timeoutMs: 1000, ...plan });
    const made = { name, askedAt, sentAt: Date.now(), answeredAt: Number.NaN };
    if (sends) sent.push(made);
    await systemClock.sleep(latencyMs);
    made.answeredAt = Date.now();
    admission.done({ sent: sends, rateLimitedForMs });
    return made;
  }

  return { sent, call };
}
