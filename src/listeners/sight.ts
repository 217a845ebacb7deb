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

/**
 * Runs `act` in the channel that a button names, by default the one where it is pressed, if the
 * person may know about it. Calls Slack only if membership decides that.
 */
export function inChannel<Claim extends { channel?: string | null | undefined }>(
  act: Handler<Claim>,
): Handler<Claim> {
  return async (asked, claim, context) => {
    const { channel = asked.channel } = claim;
    if (!channel) return views.buttonOutOfDate({ command: '/files status' });
    const isElsewhere = channel !== asked.channel;
    if (isElsewhere && !may(asked, 'see-status')) {
      const { sees } = await sightOf(asked, context);
      if (!sees(channel)) return views.leftChannel({ elsewhere: channel });
    }
    return act({ ...asked, channel, isElsewhere }, claim, context);
  };
}

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
  const { userId, channel } = asked;
  if (may(asked, 'see-status')) return true;
  return (
    (await workspace.channelsOf(userId)).includes(channel) || !(await workspace.isPrivate(channel))
  );
}
