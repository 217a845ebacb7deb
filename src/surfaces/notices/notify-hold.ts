import {
  type ChannelRef,
  type Destination,
  folderNumber,
  KEY,
  linkIfTo,
  may,
  OPERATOR,
  queueOf,
  SLACK_FILES,
} from '../../core/index.ts';
import { mayBeRepeated, unlessRefused } from '../../slack/index.ts';
import type { View } from '../kit/layout.ts';
import { isStillIn } from '../kit/membership.ts';
import { operatorMember } from '../kit/prose.ts';
import type { RenderContext } from '../kit/render-context.ts';
import { channelPaused, linkPaused } from '../link/link-messages.ts';
import { keyRefused, operatorNeeded, permissionsBack } from './operator-notices.ts';

/**
 * Notifies once about a hold that no channel can mend: the member who runs Pigeonhole; about the key,
 * without one, the first of those who linked the channels of the waiting files that can be notified.
 * Without either, only the log and `/readyz` report it.
 */
export async function notifyOfHold(scope: string, context: RenderContext): Promise<void> {
  const { ledger, operator, logger } = context;
  const member = operatorMember(operator);
  const users = member !== null ? [member] : scope === KEY ? await ledger.linkersWaiting() : [];
  if (users.length === 0 || !(await ledger.claimNotice(scope, OPERATOR))) return;
  const need = scope === KEY ? 'key' : scope === SLACK_FILES ? 'token' : 'folder';
  const view = member === null ? keyRefused({ operator }) : operatorNeeded({ need });
  try {
    for (const user of users) if (await isNotified(user, view, context)) return;
    logger.warn({ scope, users }, 'None of these members can be notified that files wait');
  } catch (error) {
    logger.warn({ scope, error }, 'Nobody could be notified that files wait');
  }
  await ledger.dropNotice(scope, OPERATOR);
}

// Slack also takes messages to deactivated accounts, which nobody reads.
async function isNotified(
  user: string,
  view: View,
  { workspace }: RenderContext,
): Promise<boolean> {
  const actor = await unlessRefused(workspace.actor(user, null));
  if (actor?.role === 'deactivated') return false;
  return (await unlessRefused(workspace.notify(user, view))) !== null;
}

/** Notifies the member who runs Pigeonhole that Slack's token reads files again. */
export async function notifyOfToken({ operator, workspace }: RenderContext): Promise<void> {
  const member = operatorMember(operator);
  if (member !== null) await workspace.notify(member, permissionsBack());
}

/**
 * Notifies once about a held folder that a channel's files wait for: the member who linked the channel,
 * in a direct message with a button to choose another folder; or the channel, if that member is unknown,
 * cannot be notified or may not link it any more; or, about the default folder, whoever runs Pigeonhole.
 * Records the notice first, so that nobody is notified twice. Rejects with SlackCallError when the
 * notice was certainly not posted and may be later.
 */
export async function notifyOfFolder(
  { team, channel }: ChannelRef,
  folder: Destination,
  context: RenderContext,
): Promise<void> {
  const { ledger, workspace, logger, linkBy } = context;
  const scope = folderNumber(folder);
  const link = await ledger.findLink({ team, channel });
  if (!link) return notifyOfHold(scope, context);
  const { heldFor: reason, linkedBy } = link;
  if (!linkIfTo(folder, link) || !reason || link.holdNotified) return;
  const isLinker = await mayMend(linkedBy, channel, context);
  const name = queueOf({ team, channel });
  if (!(await ledger.claimNotice(scope, name))) return;
  const held = { reason, folder: link };
  try {
    const view = linkPaused({ ...held, channel });
    const isTold = isLinker && (await unlessRefused(workspace.notify(linkedBy, view))) !== null;
    if (!isTold) await workspace.announce(channel, channelPaused({ ...held, linkBy }));
  } catch (error) {
    if (mayBeRepeated(error)) {
      await ledger.dropNotice(scope, name);
      throw error;
    }
    logger.warn({ channel, error }, 'Nobody could be notified that a channel’s files wait');
  }
}

// Runs before the notice is claimed, so that none is recorded while Slack is unreachable. Who has left a
// private channel can choose no folder for it any more.
async function mayMend(
  userId: string,
  channel: string,
  { workspace, linkBy }: RenderContext,
): Promise<boolean> {
  if (!userId) return false;
  const actor = await unlessRefused(workspace.actor(userId, null));
  if (actor === null || !may({ ...actor, linkBy }, 'link-channel')) return false;
  return isStillIn({ ...actor, channel }, { workspace });
}
