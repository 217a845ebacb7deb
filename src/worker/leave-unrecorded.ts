import { notRecorded } from '../blocks/index.ts';
import type { Share } from '../transfers/index.ts';
import type { CatchUpContext } from './catch-up-context.ts';

/** Passes over a share that the ledger does not take: it is logged, and who shared it is told if Slack lets. */
export async function leaveUnrecorded(
  { channel, ts, userId, files }: Share,
  { workspace, operator, logger }: Pick<CatchUpContext, 'workspace' | 'operator' | 'logger'>,
): Promise<void> {
  logger.error({ channel, ts }, 'A share cannot be recorded');
  if (!userId) return;
  const view = notRecorded({ files: files.length, operator });
  await workspace
    .postEphemeral({ channel, user: userId }, view)
    .catch((error: unknown) => logger.warn({ channel, ts, error }, 'Nobody could be told of it'));
}
