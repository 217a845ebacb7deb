import { createHash } from 'node:crypto';

/** Longer than any identifier of Slack's, and short enough for every index. */
const LONGEST = 200;

/**
 * `text` where every database takes it as it is and every index has room for it; a fingerprint of
 * what is too long, has a NUL character or is no Unicode. Different texts have different keys.
 */
export function indexKey(text: string): string {
  if (text.length <= LONGEST && text.isWellFormed() && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(JSON.stringify(text)).digest('hex')}`;
}
