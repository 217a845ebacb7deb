import type { RefusedFile } from './file-lines.ts';

/**
 * Where a file of a share stands, for its people: `waiting` for its turn or for the next try, `sending`,
 * `checking` whether what was sent has arrived, or settled as `filed`, `refused`, `parked` (its channel
 * had no folder, or somebody held it back) or `deleted` through Pigeonhole.
 */
export type FilePhase =
  | 'waiting'
  | 'sending'
  | 'checking'
  | 'filed'
  | 'refused'
  | 'parked'
  | 'deleted';

/** A file of a share, as its line in the thread describes it. */
export interface ShareFile extends RefusedFile {
  /** Where to open it, of a filed one; null when nobody knows. */
  url: string | null;
  /** Bytes; null when Slack did not say. */
  sizeBytes: number | null;
  phase: FilePhase;
  /** When a waiting file is tried next, epoch milliseconds. */
  nextTryAt: number | null;
  /** Of a file that is being sent. */
  progress: SendingProgress | null;
  /** Place of a waiting file in the line, from 1. */
  place: number | null;
  /** Slack's identifier of who deleted the file; null where it was gone before that. */
  deletedBy: string | null;
  /** False for a filed one of which nobody knows which entry of its folder it is. */
  isTraced: boolean;
}

export interface SendingProgress {
  sentBytes: number;
  totalBytes: number;
  bytesPerSecond: number;
  /** Milliseconds; null until a rate is known. */
  remainingMs: number | null;
  /** How long no byte has moved, milliseconds. */
  idleMs: number;
}

/**
 * Where a share as a whole stands. A file that needs somebody counts before files in hand: somebody
 * can see to it at once.
 */
export function sharePhase(
  files: readonly { phase: FilePhase }[],
): 'in-hand' | 'done' | 'needs-you' {
  if (files.some(({ phase }) => phase === 'refused' || phase === 'parked')) return 'needs-you';
  return files.some(isInHand) ? 'in-hand' : 'done';
}

const IN_HAND = ['waiting', 'sending', 'checking'] as const;

/** Whether a file is on its way. */
export function isInHand({ phase }: { phase: FilePhase }): boolean {
  return IN_HAND.some((one) => one === phase);
}

/** The one reaction that a share in this phase carries: names of Slack's emoji, without colons. */
export function reactionFor(phase: ReturnType<typeof sharePhase>) {
  if (phase === 'in-hand') return 'hourglass_flowing_sand';
  return phase === 'done' ? 'white_check_mark' : 'warning';
}
