import type { Lane } from './throttle.ts';

/**
 * How long a call waits to be let through, in milliseconds. A person is better served by an answer
 * that says why; files go back to the ledger, where their people see what is waited for.
 */
export const PATIENCE_MS: Record<Lane, number> = { interactive: 8_000, bulk: 30_000 };
