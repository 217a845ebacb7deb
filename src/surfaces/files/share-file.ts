import type { FolderRef } from '../../core/index.ts';
import { SlackCallError } from '../../slack/index.ts';
import type { Handler } from '../kit/answer.ts';
import type { ListedFile } from './listed-file.ts';
import { alreadyShared, CANNOT_SHARE, fileShared } from './share-words.ts';

/**
 * Posts a file's name and link where the person is: in the channel, or in the thread that the list is
 * in. Resolves with null once it is posted, or with why not; soon after, a second press posts nothing.
 */
export const shareFile: Handler<{ file: ListedFile; folder: FolderRef }> = async (
  asked,
  { file, folder },
  context,
) => {
  const { team, channel, thread = null, userId: by } = asked;
  const { ledger, workspace, clock, logger } = context;
  if (!(await workspace.isIn(channel))) return CANNOT_SHARE;
  const { projectId, folderId } = folder;
  const what = ['share', team, channel, thread, by, projectId, folderId, file.id];
  const now = clock.wall();
  const press = { signature: JSON.stringify(what), sentAt: now };
  if (!(await ledger.noteRequest(press, now))) return alreadyShared(file);
  try {
    await workspace.announce(channel, fileShared({ ...file, folder, by }), thread);
  } catch (error) {
    if (error instanceof SlackCallError && error.hadNoEffect) await ledger.dropRequest(press);
    throw error;
  }
  logger.info(
    { team, channel, record: file.id, projectId, folderId, user: by },
    'A file was shared',
  );
  return null;
};
