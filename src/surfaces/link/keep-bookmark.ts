import { oncePer } from '../../base/index.ts';
import { type ChannelRef, type FolderRef, queueOf } from '../../core/index.ts';
import { SlackCallError } from '../../slack/index.ts';
import { folderAddress } from '../kit/folder-address.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { shownFolder } from '../kit/text.ts';

/** What is under way for each channel. */
const running = oncePer((_ledger: SurfaceContext['ledger']) => new Map<string, Promise<void>>());

/**
 * Keeps one bookmark of its folder in a linked channel's header, and none in another's, where Slack
 * lets the app and the folder has an address: to be called after each change of its link. What fails is
 * logged, and does no harm to the link. Two for one channel follow each other: each would find none,
 * and add one.
 */
export function keepBookmark(ref: ChannelRef, context: SurfaceContext): Promise<void> {
  if (!context.workspace.mayBookmark) return Promise.resolve();
  const [turns, key] = [running(context.ledger), queueOf(ref)];
  const before = turns.get(key) ?? Promise.resolve();
  const own: Promise<void> = before
    .catch(() => undefined)
    .then(() => keepNow(ref, context))
    .finally(() => turns.get(key) === own && turns.delete(key));
  turns.set(key, own);
  return own;
}

async function keepNow(ref: ChannelRef, context: SurfaceContext): Promise<void> {
  const { ledger, workspace, logger } = context;
  const { channel } = ref;
  try {
    const [link, was] = await Promise.all([ledger.findLink(ref), ledger.findBookmark(ref)]);
    const folder = link && (await context.names.nameFolder(link));
    const address = folder && folderAddress(folder);
    const there = address === null ? null : await workspace.findBookmark(channel, address);
    if (was !== null && was !== there) await workspace.removeBookmark(channel, was);
    const added = there === null && folder && address !== null;
    const id = added ? await add(channel, { folder, address }, context) : there;
    let isNoted = id === was;
    try {
      isNoted ||= await ledger.noteBookmark(ref, { was, bookmarkId: id });
    } finally {
      if (!isNoted && id !== null && added) await workspace.removeBookmark(channel, id);
    }
    // Another instance was faster: its link may be another one, too.
    if (!isNoted) await keepNow(ref, context);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    logger.info({ ...ref, error }, 'A channel has no bookmark of its folder');
  }
}

async function add(
  channel: string,
  { folder, address }: { folder: FolderRef; address: string },
  { workspace }: SurfaceContext,
): Promise<string | null> {
  const bookmark = { title: shownFolder(folder, 30, 100), link: address };
  return workspace.addBookmark(channel, bookmark).catch(async (error: unknown) => {
    // Slack may have added it all the same.
    const added = await workspace.findBookmark(channel, address);
    if (added === null) throw error;
    return added;
  });
}
