import { randomUUID } from 'node:crypto';
import type { Handler } from '../../src/engine/job.ts';

/**
 * Claims the next job of a handler and returns the function that runs it under this lease; null when
 * none is due.
 */
export async function claimJob(
  handler: Handler,
  { now, leaseMs = 30_000 }: { now: number; leaseMs?: number },
): Promise<(() => Promise<void>) | null> {
  const lease = { now, until: now + leaseMs, token: randomUUID() };
  const { signal } = new AbortController();
  const job = await handler.claim(() => lease, signal);
  return job && (() => job({ token: lease.token, signal, leaseUntil: () => lease.until }));
}
