import type { App } from '@slack/bolt';
import { isDirect, may, type Share } from '../../core/index.ts';
import { isUnrecordable } from '../../ledger/index.ts';
import {
  parseAddedFiles,
  parseDeletion,
  parseEdited,
  parseShare,
  slackTs,
} from '../../slack/index.ts';
import { recordDeletions } from '../deleted-in-slack/record-deletions.ts';
import { identify } from '../kit/answer.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { SKEW_MS } from '../link/link-channel.ts';
import { noDestinationHint } from '../link/link-messages.ts';

/**
 * Records in the ledger what files a message brings, and which it loses. The response to Slack waits
 * for this listener (see slack/bolt-app.ts), so it only writes to the ledger and does the rest in
 * the background.
 */
export function listenForShares(app: App, context: SurfaceContext): void {
  const { identity } = context.workspace;
  app.event('message', async ({ event }) => {
    const deleted = parseDeletion(event);
    const at = { ...identity, channel: event.channel };
    const edited = parseEdited(event, at);
    const share = edited
      ? await filesLacking(edited, context)
      : (parseShare(event, at) ?? parseAddedFiles(event, at));
    if (deleted.length > 0) await recordDeletions(deleted, context);
    if (share) await recordOrExplain(share, context);
  });
}

// If the database refuses a share, it would refuse a redelivery too, so the event still succeeds.
async function recordOrExplain(share: Share, context: SurfaceContext): Promise<void> {
  try {
    await recordShare(share, context);
  } catch (error) {
    if (!isUnrecordable(error)) throw error;
    context.inBackground(context.leaveUnrecorded(share, error));
  }
}

async function recordShare(share: Share, context: SurfaceContext): Promise<void> {
  const destination = await context.findDestination(share);
  const input = { share, origin: 'event' as const, destination, reportId: null };
  const now = context.clock.now();
  const { firstParkedId } = await context.ledger.recordShare({ ...input, now });
  if (firstParkedId !== null) context.inBackground(hint(share, firstParkedId, context));
  context.wake();
}

// Of a message that the ledger does not know, an older one's files are filed only on request: what
// was shared before the channel had a folder.
async function filesLacking(edited: Share, { ledger }: SurfaceContext): Promise<Share | null> {
  const [lacking = null] = await ledger.unknownFiles(edited, [edited]);
  if (lacking === null || lacking.files.length < edited.files.length) return lacking;
  const link = await ledger.findLink(edited);
  const { joinedTs } = await ledger.findHistoryMarks(edited);
  const since = link ? slackTs(link.linkedAt - SKEW_MS) : (joinedTs ?? '');
  return edited.ts >= since ? lacking : null;
}

// Shown once per person and channel, to avoid noise.
async function hint(
  { team, channel, threadTs, userId }: Share,
  transferId: number,
  context: SurfaceContext,
): Promise<void> {
  const { ledger, workspace, linkBy } = context;
  if (!userId || !(await ledger.isFirstParked({ team, channel }, { transferId, userId }))) return;
  const asker = { channel, userId, userTeam: null };
  // If Slack cannot identify the person, they have no rights.
  const asked = await identify(asker, context).catch(() => null);
  const mayLink = asked !== null && may(asked, 'link-channel');
  const view = noDestinationHint({ mayLink, linkBy, isDirect: isDirect({ channel }) });
  await workspace.postEphemeral({ channel, user: userId, threadTs }, view);
}
