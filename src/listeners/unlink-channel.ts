import { changeRefused, notAnnounced, notLinked, unlinked, type View } from '../blocks/index.ts';
import { verdictOn } from '../transfers/index.ts';
import type { Asked } from './asked.ts';
import { tell } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { nameFolder } from './show-files.ts';

/** Takes a channel's link away; what is in the folder stays there. */
export async function unlinkChannel(asked: Asked, context: ListenerContext): Promise<View | null> {
  const verdict = verdictOn(asked, 'unlink-channel');
  if (verdict !== 'allowed') return changeRefused({ change: 'unlink', reason: verdict });
  const link = await context.ledger.findLink(asked);
  if (!link) return notLinked();
  await context.ledger.removeLink(asked);
  const fallback = await context.findDestination(asked);
  const folder = { ...link, name: link.folderName };
  const view = unlinked({
    folder,
    byUserId: asked.userId,
    fallback: fallback && { ...fallback, name: await nameFolder(fallback, context) },
  });
  const told = await tell(asked.channel, view, context);
  if (told === 'told') return null;
  return told === 'not-in-channel' ? view : notAnnounced({ view, code: told, question: null });
}
