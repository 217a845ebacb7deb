import { createHash } from 'node:crypto';
import type { MessageRef } from '../transfers/index.ts';

/** Longer than any identifier of Slack's, and short enough for every index. */
const LONGEST = 200;

/**
 * A Slack file as it is looked for: `text` where every database takes it as it is and every index has room for it; a fingerprint of
 * what is too long, has a NUL character or is no Unicode. Different texts have different keys.
 */
export function fileKey(text: string): string {
  if (text.length <= LONGEST && text.isWellFormed() && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(JSON.stringify(text)).digest('hex')}`;
}

/** A message as it is looked for within its workspace. */
export function messageKey({ channel, ts }: Omit<MessageRef, 'team'>): string {
  return `${channel}/${ts}`;
}
