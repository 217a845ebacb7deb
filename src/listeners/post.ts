import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { SlackCallError, type SlackCallErrorCode } from '../slack/index.ts';
import type { ListenerContext } from './listener-context.ts';

/** Posts a completed change in its channel. A refusal by Slack is returned, not thrown. */
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

/** Announces a change; returns the answer for the person, null if the channel got the message. */
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

/** A message to one person about a channel; `elsewhere` is the channel if it is read outside it. */
export type PrivateView = (elsewhere?: string) => View;
