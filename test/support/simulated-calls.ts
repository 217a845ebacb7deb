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
  /** How long the service takes to answer, in milliseconds. */
  latencyMs?: number;
  /** How long the service asks to wait, when it answers with 429. */
  rateLimitedForMs?: number | undefined;
  /** False: the call gives its place back unused. */
  sent?: boolean;
}

/** Calls made through a throttle, in the order in which they were sent; unsent ones are left out. */
export interface SimulatedCalls {
  sent: SimulatedCall[];
  /** Makes a call; resolves with its answer, rejects when it is not admitted. */
  call(plan?: CallPlan): Promise<SimulatedCall>;
}

/** Sends no request: waits as long as one would take. */
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
