import type { FileList } from '../service/index.ts';
import type { ChannelDestination, ListenerContext } from './listener-context.ts';

export interface Viewpoint {
  channel: { team: string; channel: string };
  destination: ChannelDestination;
}

/**
 * Which records of its folder a channel may see, name, count and delete: all of a folder that somebody
 * linked it to; of the default folder, which takes what private channels and direct messages share,
 * only what was shared in this very channel.
 */
export async function recordsInView(
  { channel, destination }: Viewpoint,
  { ledger }: Pick<ListenerContext, 'ledger'>,
): Promise<(recordId: number) => boolean> {
  if (!destination.isDefault) return () => true;
  const own = await ledger.recordsOfChannel(channel, destination);
  return (recordId) => own.has(recordId);
}

/** What a channel may see of its folder's list, counts included. */
export async function listInView(
  list: FileList,
  from: Viewpoint,
  context: Pick<ListenerContext, 'ledger'>,
): Promise<FileList> {
  const isInView = await recordsInView(from, context);
  // Whose unreadable records are is not known: in the default folder a channel does not count them.
  const unreadable = from.destination.isDefault ? 0 : list.unreadable;
  return { ...list, files: list.files.filter(({ id }) => isInView(id)), unreadable };
}
