import type { ErrorCode } from '../base/index.ts';

/** Why a channel's link is paused: its folder is gone, or the right to it is lost. */
export type PauseReason = Extract<ErrorCode, 'DESTINATION_GONE' | 'SERVICE_FORBIDDEN'>;

const REASONS: Partial<Record<ErrorCode, PauseReason>> = {
  DESTINATION_GONE: 'DESTINATION_GONE',
  SERVICE_FORBIDDEN: 'SERVICE_FORBIDDEN',
  RECORD_UNSEEN: 'SERVICE_FORBIDDEN',
};

/** What a refusal says of the folder rather than of the file; null where it is about the file. */
export function pauseReason(code: ErrorCode): PauseReason | null {
  return REASONS[code] ?? null;
}

const SHORTEST_MS = 60_000;
const LONGEST_MS = 60 * 60_000;

/** How long until the folder of a paused link is tried again, in milliseconds: the longer it was, the longer. */
export function probeDelay(pausedMs: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, pausedMs));
}

/** So much later than the file that tries the folder the others are due, in milliseconds. */
export const AFTER_PROBE_MS = 2 * 60_000;
