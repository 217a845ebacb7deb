import type { ErrorCode } from '../base/index.ts';

/**
 * Where a file of a share stands, for its people: `waiting` for its turn or for the next try,
 * `sending`, or settled as `filed`, `refused`, `parked` (its channel had no folder, or somebody
 * held it back) or `deleted` through Pigeonhole.
 */
export type FilePhase = 'waiting' | 'sending' | 'filed' | 'refused' | 'parked' | 'deleted';

/** A file that could not be filed, and why. */
export interface RefusedFile {
  name: string;
  /** Null when nobody knows. */
  problem: ErrorCode | null;
  /** What Slack or the service said of it, short. */
  problemNote: string | null;
}

/** A file of a share, as its line in the thread tells of it. */
export interface ShareFile extends RefusedFile {
  /** Bytes; null when Slack did not say. */
  sizeBytes: number | null;
  phase: FilePhase;
  /** When a waiting file is tried next, epoch milliseconds. */
  nextTryAt: number | null;
  /** Of a file that is being sent. */
  progress: SendingProgress | null;
  /** Place of a waiting file in the line, from 1. */
  place: number | null;
  /** Slack's identifier of who deleted the file. */
  deletedBy: string | null;
  /** False for a filed one of which nobody can tell which entry of its folder it is. */
  isTraced: boolean;
}

export interface SendingProgress {
  sentBytes: number;
  totalBytes: number;
  bytesPerSecond: number;
  /** Milliseconds. */
  remainingMs: number;
}
