import type { Clock } from '../base/index.ts';
import type { SendingProgress } from '../blocks/index.ts';

/** How far the uploads in hand are; kept in memory, as it ends with the process. */
export interface ProgressBoard {
  begin(transferId: number, totalBytes: number): void;
  moved(transferId: number, sentBytes: number): void;
  end(transferId: number): void;
  /** Null for a transfer that is not being uploaded here. */
  of(transferId: number): SendingProgress | null;
}

export function createProgressBoard(clock: Clock): ProgressBoard {
  const entries = new Map<number, Upload>();
  return {
    begin: (id, totalBytes) => {
      const now = clock.now();
      entries.set(id, { begunAt: now, movedAt: now, totalBytes, sentBytes: 0 });
    },
    moved: (id, sentBytes) => {
      const entry = entries.get(id);
      if (entry) entries.set(id, { ...entry, sentBytes, movedAt: clock.now() });
    },
    end: (id) => entries.delete(id),
    of: (id) => {
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
