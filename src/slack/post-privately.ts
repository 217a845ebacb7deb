import type { Clock } from '../base/index.ts';
import type { MessageBody } from './messages.ts';
import { unlessRefused } from './web-api.ts';
import type { Workspace } from './workspace.ts';

export interface PrivateReader {
  channel: string;
  userId: string;
  /** The thread that it is about; null for none. Default: none. */
  threadTs?: string | null;
  /** When they were last active in the channel, by our clock; null: it may be long ago. */
  seenAt: number | null;
}

/** For how long after that they are taken to be active still, in milliseconds. */
const STAYS_MS = 60_000;

/**
 * Tells or asks somebody in the channel, or in their direct messages, where they or I are not in the
 * channel, or they may not be active: what Slack shows one person in a channel it does not keep. `say`
 * gets the channel where it is read elsewhere. Rejects with SlackCallError.
 */
export async function postPrivately(
  { channel, userId: user, threadTs = null, seenAt }: PrivateReader,
  say: (elsewhere?: string) => MessageBody,
  { workspace, clock }: { workspace: Pick<Workspace, 'postEphemeral' | 'notify'>; clock: Clock },
): Promise<void> {
  const isThere = seenAt !== null && clock.now() - seenAt < STAYS_MS;
  const inChannel = () => workspace.postEphemeral({ channel, user, threadTs }, say());
  if (isThere && (await unlessRefused(() => inChannel().then(() => true)))) return;
  await workspace.notify(user, say(channel));
}
