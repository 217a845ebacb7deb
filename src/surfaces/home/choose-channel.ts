import { may } from '../../core/index.ts';
import type { Asked, Handler } from '../kit/answer.ts';
import type { ClaimOf } from '../kit/claims.ts';
import { stacked, type View } from '../kit/layout.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { CHANNEL_UNSEEN } from '../link/link-messages.ts';
import { openSettings } from '../settings/settings-modal.ts';
import type { HOME_CHANNEL } from '../status/actions.ts';
import { showAttention } from '../status/attention.ts';

/**
 * Handles the App Home's channel picker: opens the settings of the chosen channel, in which it gets
 * its folder. Shows the App Home anew, with a picker in which the same channel can be chosen again.
 */
export const chooseChannel: Handler<ClaimOf<typeof HOME_CHANNEL>> = async (
  asked,
  { channel, ...pages },
  context,
) => {
  const notice = await open({ ...asked, channel, isElsewhere: true }, context);
  return stacked(notice, await showAttention(asked, pages, context));
};

// Slack's picker offers the private channels that the person is in, also those without the bot. The
// choice itself is a claim.
async function open(there: Asked, context: SurfaceContext): Promise<View | null> {
  const { userId, channel } = there;
  const isOpen = !may(there, 'link-channel') || (await context.workspace.isOpenTo(userId, channel));
  return isOpen ? openSettings(there, context) : CHANNEL_UNSEEN;
}
