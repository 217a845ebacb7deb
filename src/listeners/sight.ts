import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { may } from '../transfers/index.ts';
import type { Asked, Handler } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/** The channels that a person may know about. */
export interface Sight {
  /** Channel identifiers; null means all channels. */
  channels: readonly string[] | null;
  sees(channel: string): boolean;
  /** Whether the person is in the channel, and so sees its files in Slack. */
  isIn(channel: string): boolean;
}

/** The channel that a button names. Default: the one where it is pressed. */
type NamedChannel = { channel?: string | null | undefined };

/**
 * Resolves with the request as if made in that channel, or with the refusal if the person may not
 * know about it. Calls Slack only if membership decides that.
 */
export const inChannel: Handler<NamedChannel, Asked | { refusal: View }> = async (
  asked,
  { channel = asked.channel },
  context,
) => {
  if (!channel) return { refusal: views.buttonOutOfDate({ command: '/files status' }) };
  const isElsewhere = channel !== asked.channel;
  if (isElsewhere && !may(asked, 'see-status')) {
    const { sees } = await sightOf(asked, context);
    if (!sees(channel)) return { refusal: views.say(views.leftChannel({ elsewhere: channel })) };
  }
  return { ...asked, channel, isElsewhere };
};

/** Returns the channels that a person may know about: those that they are in, or all of them. */
export async function sightOf(asked: Asked, { workspace }: ListenerContext): Promise<Sight> {
  const { userId, channel: here } = asked;
  const seesAll = may(asked, 'see-status');
  const seesOwn = may(asked, 'see-status', userId);
  const own = new Set(seesOwn ? await workspace.channelsOf(userId) : []).add(here);
  const isIn = (channel: string) => own.has(channel);
  return { channels: seesAll ? null : [...own], sees: (one) => seesAll || isIn(one), isIn };
}

/**
 * Returns whether a person may still act on the channel of a form, which may have been open for a
 * long time. False only for a private channel that they have left. Slack does not list the members
 * of a channel that is archived or that the bot is not in, so those pass.
 */
export async function isStillIn(asked: Asked, { workspace }: ListenerContext): Promise<boolean> {
  return may(asked, 'see-status') || !(await workspace.isClosedTo(asked.userId, asked.channel));
}
