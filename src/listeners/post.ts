import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { SlackCallError, type SlackCallErrorCode, unlessRefused } from '../slack/index.ts';
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

/** What one person is told or asked about a channel, which it names where it is read elsewhere. */
export type PrivateView = (elsewhere?: string) => View;

interface Reader extends Pick<Asked, 'channel' | 'userId'> {
  /** When they were last active in the channel, by our clock; null: it may be long ago. */
  seenAt: number | null;
}

/** For how long after that they are taken to be active still, in milliseconds. */
const STAYS_MS = 60_000;

/**
 * Tells or asks somebody in the channel, or in their direct messages, where they or I are not in the
 * channel, or they may not be active: what Slack shows one person in a channel it does not keep.
 * Rejects with SlackCallError.
 */
export async function postPrivately(
  { channel, userId: user, seenAt }: Reader,
  view: PrivateView,
  { workspace, clock }: Pick<ListenerContext, 'workspace' | 'clock'>,
): Promise<void> {
  const isThere = seenAt !== null && clock.now() - seenAt < STAYS_MS;
  const inChannel = () => workspace.postEphemeral({ channel, user }, view()).then(() => true);
  if (isThere && (await unlessRefused(inChannel))) return;
  await workspace.notify(user, view(channel));
}
