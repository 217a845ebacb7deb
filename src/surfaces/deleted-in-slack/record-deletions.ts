import type { App } from '@slack/bolt';
import type { ParsedDeletion } from '../../slack/index.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';

/** Handles the deletion of a file. Deleted messages come as events of messages: see listenForShares. */
export function listenForDeletions(app: App, context: SurfaceContext): void {
  app.event('file_deleted', async ({ event }) => {
    await recordDeletions([{ fileId: event.file_id }], context);
  });
}

/** Records files and messages that were deleted in Slack, unless that is to change nothing. */
export async function recordDeletions(
  deleted: readonly ParsedDeletion[],
  { ledger, workspace, onSlackDelete, clock, wake }: SurfaceContext,
): Promise<void> {
  if (onSlackDelete === 'keep') return;
  const { team } = workspace.identity;
  const found = deleted.map((one) => ({ team, ...one }));
  await ledger.recordDeletions(found, clock.now());
  wake();
}
