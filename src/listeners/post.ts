import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { isRefused, SlackCallError, type SlackCallErrorCode } from '../slack/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/** Tells the whole channel what is done. Slack's refusal does not undo that, so it is no error here. */
export async function announce(
  channel: string,
  view: View,
  { workspace, logger }: Pick<ListenerContext, 'workspace' | 'logger'>,
): Promise<'done' | 'not-in-channel' | SlackCallErrorCode> {
  try {
    await workspace.announce(channel, view);
    return 'done';
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    if (/not_in_channel|channel_not_found/.test(error.reason)) return 'not-in-channel';
    logger.warn({ channel, error }, 'A channel could not be told what changed');
    return error.code;
  }
}

/** The same; returns what the person who did it is answered: null where the channel has it. */
export async function announceInChannel(
  channel: string,
  view: View,
  context: Pick<ListenerContext, 'workspace' | 'logger'>,
): Promise<View | null> {
  const announced = await announce(channel, view, context);
  if (announced === 'done') return null;
  if (announced === 'not-in-channel') return view;
  return views.notAnnounced({ view, code: announced, question: null });
}

/**
 * Tells or asks somebody in private about a channel: there, or in their direct messages where they or
 * I are not in it. `view` gets the channel where it has to be named, as it is read elsewhere.
 */
export async function postPrivately(
  { channel, userId: user }: Pick<Asked, 'channel' | 'userId'>,
  view: (elsewhere?: string) => View,
  { workspace }: Pick<ListenerContext, 'workspace'>,
): Promise<void> {
  await workspace.postEphemeral({ channel, user }, view()).catch((error: unknown) => {
    if (!isRefused(error)) throw error;
    return workspace.notify(user, view(channel));
  });
}
