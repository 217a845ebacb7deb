import type { View } from '../blocks/index.ts';
import { SlackCallError } from '../slack/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Tells or asks somebody in private about a channel: there, or in their direct messages where they or
 * I are not in it. `view` gets the channel where it has to be named, as it is read elsewhere.
 */
export async function postPrivately(
  { channel, userId: user }: Pick<Asked, 'channel' | 'userId'>,
  view: (elsewhere?: string) => View,
  { workspace }: Pick<ListenerContext, 'workspace'>,
): Promise<void> {
  try {
    await workspace.postEphemeral({ channel, user }, view());
  } catch (error) {
    if (!(error instanceof SlackCallError) || error.code !== 'SLACK_REFUSED') throw error;
    await workspace.notify(user, view(channel));
  }
}
