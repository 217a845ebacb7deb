import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { SlackCallError, type SlackCallErrorCode } from '../slack/index.ts';
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

/** What one person is told or asked about a channel, which it names where it is read elsewhere. */
export type PrivateView = (elsewhere?: string) => View;
