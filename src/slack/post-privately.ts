import type { Clock } from '../base/index.ts';
import type { MessageBody } from './messages.ts';
import { unlessRefused } from './web-api.ts';
import type { Workspace } from './workspace.ts';

interface PrivateReader {
  channel: string;
  userId: string;
  /** The thread that the message is about; null for none. Default: none. */
  threadTs?: string | null;
  /** When the person was last active in the channel, by our clock; null: perhaps long ago. */
  seenAt: number | null;
}

/** How long after that they still count as active, in milliseconds. */
const STAYS_MS = 60_000;

/**
 * Posts privately to a person: ephemerally in the channel, or in their direct messages if they or the
 * bot are not in the channel or they may not be active there, because Slack does not keep ephemeral
 * messages. `say` gets the channel if the message is read elsewhere. Rejects with SlackCallError.
 */
export async function postPrivately(
  { channel, userId: user, threadTs = null, seenAt }: PrivateReader,
  say: (elsewhere?: string) => MessageBody,
  { workspace, clock }: { workspace: Pick<Workspace, 'postEphemeral' | 'notify'>; clock: Clock },
): Promise<void> {
  const isThere = seenAt !== null && clock.now() - seenAt < STAYS_MS;
  const inChannel = () => workspace.postEphemeral({ channel, user, threadTs }, say());
  if (isThere && (await unlessRefused(inChannel().then(() => true)))) return;
  await workspace.notify(user, say(channel));
}
