import { randomUUID } from 'node:crypto';
import type { JobKind } from '../../src/worker/job.ts';

/**
 * Claims the next job of a kind and returns the function that runs it under this lease; null when
 * none is due.
 */
export async function claimJob(
  kind: JobKind,
  { now, leaseMs = 30_000 }: { now: number; leaseMs?: number },
): Promise<(() => Promise<void>) | null> {
  const lease = { now, until: now + leaseMs, token: randomUUID() };
  const { signal } = new AbortController();
  const job = await kind.claim(() => lease, signal);
  return job && (() => job({ token: lease.token, signal, leaseUntil: () => lease.until }));
}
