import { may } from '../../core/index.ts';
import type { Asked, Handler } from './answer.ts';
import type { View } from './layout.ts';
import { say } from './prose.ts';
import { buttonOutOfDate, outOfSight } from './refusals.ts';
import type { SurfaceContext } from './surface-context.ts';

/** The channels that a person may know about. */
export interface Sight {
  /** Channel identifiers; null means all channels. */
  channels: readonly string[] | null;
  sees(channel: string): boolean;
  /** Whether the person is in the channel, as far as Slack says: see the workspace's channelsOf. */
  isIn(channel: string): boolean;
}

/** The channel that a button names; null for none. Default: the one where it is pressed. */
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
  if (!channel) return { refusal: buttonOutOfDate({ command: '/files status' }) };
  const isElsewhere = channel !== asked.channel;
  if (isElsewhere && !may(asked, 'see-status')) {
    const { sees } = await sightOf(asked, context);
    if (!sees(channel)) return { refusal: say(outOfSight(channel)) };
  }
  return { ...asked, channel, isElsewhere };
};

/** Returns the channels that a person may know about: those that they are in, or all of them. */
export async function sightOf(asked: Asked, { workspace }: SurfaceContext): Promise<Sight> {
  const { userId, channel: here } = asked;
  const seesAll = may(asked, 'see-status');
  const seesOwn = may(asked, 'see-status', userId);
  const own = new Set(seesOwn ? await workspace.channelsOf(userId) : []).add(here);
  const isIn = (channel: string) => own.has(channel);
  return { channels: seesAll ? null : [...own], sees: (one) => seesAll || isIn(one), isIn };
}
