import { notForAccounts } from '../blocks/index.ts';
import { type Actor, may } from '../transfers/index.ts';
import type { StagedView } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/** Who a request says that it is from, and where they were. */
export interface Asker {
  team: string;
  channel: string;
  userId: string;
  /** The workspace that the request says they belong to; null when it does not say. */
  userTeam: string | null;
}

/** Who asks, as Slack tells, and where. */
export interface Asked extends Actor {
  team: string;
  channel: string;
}

/**
 * The one way from a command or a button to what it does: Slack is asked who it is, and an account
 * that is nobody's gets nothing. Rejects when Slack does not tell: then nobody has any rights.
 */
export async function admit(
  { team, channel, userId, userTeam }: Asker,
  { workspace }: Pick<ListenerContext, 'workspace'>,
  handle: (asked: Asked) => Promise<StagedView | null>,
): Promise<StagedView | null> {
  const actor = await workspace.actor(userId, userTeam);
  return may(actor, 'see-channel') ? handle({ ...actor, team, channel }) : notForAccounts();
}
