import { may } from '../transfers/index.ts';
import type { Asked, Handler } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/** Which channels somebody may know about. */
export interface Sight {
  /** Their identifiers; null for all. */
  channels: readonly string[] | null;
  sees(channel: string): boolean;
  /** Whether they see the channel’s files in Slack. */
  isIn(channel: string): boolean;
}

/** Whether somebody may know about a channel: sightOf of one, asked of Slack only where it must be. */
export const seesChannel: Handler<string, boolean> = async (asked, channel, context) => {
  if (channel === asked.channel || may(asked, 'see-status')) return true;
  return (await sightOf(asked, context)).sees(channel);
};

/** Which channels somebody may know about: those that they are in, or all of them. */
export async function sightOf(asked: Asked, { workspace }: ListenerContext): Promise<Sight> {
  const { userId, channel: here } = asked;
  const seesAll = may(asked, 'see-status');
  const seesOwn = may(asked, 'see-status', userId);
  const own = new Set(seesOwn ? await workspace.channelsOf(userId) : []).add(here);
  const isIn = (channel: string) => own.has(channel);
  return { channels: seesAll ? null : [...own], sees: (one) => seesAll || isIn(one), isIn };
}

/**
 * Whether somebody may still act on the channel that a form carries, which may have been open for long:
 * whoever has left a private channel may not. Of one that I am not in, or that is archived, Slack does not
 * tell who is.
 */
export async function isStillIn(
  asked: Asked,
  { workspace }: Pick<ListenerContext, 'workspace'>,
): Promise<boolean> {
  const { userId, channel } = asked;
  if (may(asked, 'see-status')) return true;
  return (
    (await workspace.channelsOf(userId)).includes(channel) || !(await workspace.isPrivate(channel))
  );
}
