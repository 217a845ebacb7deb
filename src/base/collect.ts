/** V8 collects after so many bytes: more would cost memory, fewer time. */
const COLLECT_EVERY_BYTES = 4 * 1024 * 1024;
let uncollectedBytes = 0;

/**
 * Notes that so many bytes of buffers are garbage. Those lie outside V8's heap: it sees them late,
 * and then collects the whole heap. Started without `--expose-gc`, it is left to do so.
 */
export function collect(bytes: number): void {
  uncollectedBytes += bytes;
  if (uncollectedBytes < COLLECT_EVERY_BYTES) return;
  uncollectedBytes = 0;
  globalThis.gc?.({ type: 'minor' });
}
