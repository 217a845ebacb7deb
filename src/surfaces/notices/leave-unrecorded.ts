import type { Share } from '../../core/index.ts';
import type { RenderContext } from '../kit/render-context.ts';
import { notRecorded } from '../kit/service-trouble.ts';

/**
 * Skips a share that the ledger refuses and would refuse again: logs it, and notifies the member
 * who shared it, unless Slack rejects the message.
 */
export async function leaveUnrecorded(
  { channel, ts, threadTs, userId, files }: Share,
  { workspace, operator, logger }: Pick<RenderContext, 'workspace' | 'operator' | 'logger'>,
  error: unknown,
): Promise<void> {
  logger.error({ channel, ts, error }, 'A share cannot be recorded');
  if (!userId) return;
  const view = notRecorded({ files: files.length, operator });
  await workspace
    .postEphemeral({ channel, user: userId, threadTs }, view)
    .catch((error: unknown) =>
      logger.warn(
        { channel, ts, error },
        'A sharer could not be notified that their files cannot be recorded',
      ),
    );
}
