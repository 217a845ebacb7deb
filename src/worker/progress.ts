import type { Clock } from '../base/index.ts';
import type { SendingProgress } from '../blocks/index.ts';

export type ProgressBoard = ReturnType<typeof createProgressBoard>;

/** How far the uploads in hand are, by their transfers; kept in memory, as it ends with the process. */
export function createProgressBoard(clock: Clock) {
  const entries = new Map<number, Upload>();
  return {
    begin: (id: number, totalBytes: number): void => {
      const now = clock.now();
      entries.set(id, { begunAt: now, movedAt: now, totalBytes, sentBytes: 0 });
    },
    moved: (id: number, sentBytes: number): void => {
      const entry = entries.get(id);
      if (entry) entries.set(id, { ...entry, sentBytes, movedAt: clock.now() });
    },
    end: (id: number) => void entries.delete(id),
    /** Null for a transfer that is not being uploaded here. */
    of: (id: number): SendingProgress | null => {
      const entry = entries.get(id);
      return entry ? measure(entry, clock.now()) : null;
    },
  };
}

interface Upload {
  begunAt: number;
  movedAt: number;
  totalBytes: number;
  sentBytes: number;
}

function measure(
  { begunAt, movedAt, totalBytes, sentBytes }: Upload,
  now: number,
): SendingProgress {
  const elapsedMs = Math.max(1, now - begunAt);
  const bytesPerSecond = (sentBytes / elapsedMs) * 1000;
  const left = totalBytes - sentBytes;
  const remainingMs = bytesPerSecond > 0 ? Math.round((left / bytesPerSecond) * 1000) : null;
  const idleMs = Math.max(0, now - movedAt);
  return { sentBytes, totalBytes, bytesPerSecond, remainingMs, idleMs };
}
