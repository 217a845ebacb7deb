import type { View } from '../kit/layout.ts';
import { type Line, line, say } from '../kit/prose.ts';
import { isUserId, shownDate, shownSize } from '../kit/text.ts';

export interface PreviewedFile {
  name: string;
  url: string | null;
  /** Bytes; null when the service did not say. */
  sizeBytes: number | null;
  /** Slack ID of the person who shared it; null when Pigeonhole did not file it. */
  sharedBy: string | null;
  /** When that was, or else when it was created, epoch milliseconds; null when unknown. */
  at: number | null;
}

/** Shown under a message that has a file's address. */
export function filePreview({ name: file, url, sizeBytes, sharedBy, at }: PreviewedFile): View {
  const size: Line | null = sizeBytes === null ? null : [shownSize(sizeBytes)];
  const date = at === null ? null : shownDate(at);
  const shared: Line | null = isUserId(sharedBy)
    ? line`shared by ${{ person: sharedBy }}${date === null ? '' : ` on ${date}`}`
    : date === null
      ? null
      : [date];
  return say([{ file, url }], size && shared ? line`${size} · ${shared}` : (size ?? shared));
}
