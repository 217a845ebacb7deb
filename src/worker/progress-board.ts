import type { Clock } from '../base/index.ts';
import type { SendingProgress } from '../blocks/index.ts';

interface UploadInHand {
  begunAt: number;
  movedAt: number;
  totalBytes: number;
  sentBytes: number;
}

export type ProgressBoard = ReturnType<typeof createProgressBoard>;

/** Keeps the progress of this process's uploads, by transfer, in memory: they end with it. */
export function createProgressBoard(clock: Clock) {
  const uploads = new Map<number, UploadInHand>();
  return {
    begin: (id: number, totalBytes: number): void => {
      const now = clock.now();
      uploads.set(id, { begunAt: now, movedAt: now, totalBytes, sentBytes: 0 });
    },
    moved: (id: number, sentBytes: number): void => {
      const upload = uploads.get(id);
      if (upload) Object.assign(upload, { sentBytes, movedAt: clock.now() });
    },
    end: (id: number): void => void uploads.delete(id),
    /** Returns null for a transfer that is not being uploaded here. */
    of: (id: number): SendingProgress | null => {
      const upload = uploads.get(id);
      if (!upload) return null;
      const { begunAt, movedAt, totalBytes, sentBytes } = upload;
      const now = clock.now();
      const bytesPerSecond = (sentBytes / Math.max(1, now - begunAt)) * 1000;
      const leftMs = ((totalBytes - sentBytes) / bytesPerSecond) * 1000;
      const remainingMs = bytesPerSecond > 0 ? Math.round(leftMs) : null;
      const idleMs = Math.max(0, now - movedAt);
      return { sentBytes, totalBytes, bytesPerSecond, remainingMs, idleMs };
    },
  };
}
