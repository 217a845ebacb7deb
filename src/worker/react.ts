import type { Logger } from '../base/index.ts';
import { reactionFor, type ShareFile, sharePhase } from '../blocks/index.ts';
import type { Ledger, ShareRow } from '../ledger/index.ts';
import { SlackCallError, type Workspace } from '../slack/index.ts';

export interface ReactContext {
  workspace: Pick<Workspace, 'react' | 'unreact'>;
  ledger: Pick<Ledger, 'beginReaction' | 'recordReaction'>;
  logger: Logger;
}

export type ReactedShare = Pick<ShareRow, 'id' | 'channel' | 'ts' | 'reaction' | 'reactionBegun'>;

/**
 * Brings the one reaction on a share's message to where its files are. It is recorded before Slack
 * is asked and after, so that one that a crash left on the way is taken off again.
 */
export async function react(
  row: ReactedShare,
  files: ShareFile[],
  { workspace, ledger, logger }: ReactContext,
): Promise<void> {
  if (row.reaction === null && files.every((file) => file.phase === 'parked')) return;
  const name = reactionFor(sharePhase(files));
  const { channel, ts, reaction, reactionBegun } = row;
  if (name === reaction && reactionBegun === null) return;
  try {
    if (reactionBegun && reactionBegun !== name)
      await workspace.unreact({ channel, ts }, reactionBegun);
    await ledger.beginReaction(row.id, name);
    await workspace.react({ channel, ts }, { name, instead: reaction });
  } catch (error) {
    // A reaction that Slack refuses (message gone, too many reactions) must not keep the line back.
    if (!(error instanceof SlackCallError) || error.code !== 'SLACK_REFUSED') throw error;
    logger.debug({ share: row.id, reason: error.reason }, 'A reaction was refused');
  }
  await ledger.recordReaction(row.id, name);
}
