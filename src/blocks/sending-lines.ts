import { counted } from './counted.ts';
import type { Line } from './prose.ts';
import type { SendingProgress, ShareFile } from './share-file.ts';
import { shownSize } from './shown-size.ts';
import { shownSpan } from './shown-time.ts';

const SHOWN = 3;
const FEW_SECONDS_MS = 5_000;

/** One line for each of the first files that are being sent, and one for the rest. */
export function sendingLines(files: readonly ShareFile[]): Line[] {
  const shown = files.slice(0, SHOWN).map(sendingLine);
  const more = files.length - shown.length;
  return more === 0 ? shown : [...shown, [`Sending ${counted(more, 'more file')}`]];
}

function sendingLine({ name, progress, sizeBytes }: ShareFile): Line {
  if (progress !== null && progress.totalBytes > 0) {
    return ['Sending ', { file: name }, `: ${shownProgress(progress)}`];
  }
  const size = sizeBytes === null ? '' : ` (${shownSize(sizeBytes)})`;
  return ['Sending ', { file: name }, size];
}

function shownProgress(progress: SendingProgress): string {
  const { sentBytes, totalBytes, bytesPerSecond, remainingMs } = progress;
  const percent = Math.max(0, Math.min(100, Math.floor((sentBytes / totalBytes) * 100)));
  if (!(bytesPerSecond > 0)) return `${percent} %`;
  return `${percent} %, ${shownSize(bytesPerSecond)}/s, ${shownRemaining(remainingMs)}`;
}

function shownRemaining(ms: number): string {
  return ms < FEW_SECONDS_MS ? 'a few seconds left' : `about ${shownSpan(ms)} left`;
}
