import type { ChannelDestination, ListenerContext } from './listener-context.ts';

/**
 * Which records of its folder a channel may see, name, count and delete: all of a folder that somebody
 * linked it to; of the default folder, which takes what private channels and direct messages share,
 * only what was shared in this very channel.
 */
export async function recordsInView(
  channel: { team: string; channel: string },
  destination: ChannelDestination,
  { ledger }: Pick<ListenerContext, 'ledger'>,
): Promise<(recordId: number) => boolean> {
  if (!destination.isDefault) return () => true;
  const own = await ledger.recordsOfChannel(channel, destination);
  return (recordId) => own.has(recordId);
}
