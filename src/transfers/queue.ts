import type { MessageRef } from './share.ts';

/**
 * The fairness key of a transfer: queues take turns, so that a channel that shares much does not
 * hold up one that shares little. What a channel held before it was linked stands in a queue of
 * its own, behind nobody's fresh files.
 */
export function queueOf(channel: Pick<MessageRef, 'team' | 'channel'>, past = false): string {
  const key = `${channel.team}/${channel.channel}`;
  return past ? `${key}/past` : key;
}
