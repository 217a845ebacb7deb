import { may, ownerOf } from '../../core/index.ts';
import type { ShareRow } from '../../ledger/index.ts';
import { type Handler, readerOf } from '../kit/answer.ts';
import type { CalledOn } from '../kit/message-shortcut.ts';
import { WITHOUT_FILES } from '../kit/refusals.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { notSeen, whereFiled } from './where-filed-view.ts';

/** Shows where the files of a message are, or why they are nowhere. */
// Needs no access check: Slack itself names the message, so the person sees it.
export const showWhere: Handler<CalledOn> = async (asked, { ts, share }, context) => {
  const { ledger, shareLineFor, findDestination } = context;
  const { team, channel } = asked;
  const shares = await sharesToShow(await ledger.sharesOf({ team, channel, ts }), context);
  const [first] = shares;
  if (!first) return share === null ? WITHOUT_FILES : notSeen(readerOf(asked));
  const mayRetry = may(asked, 'retry-share', first.userId);
  const hasFolder = (await findDestination(asked)) !== null;
  const reader = { ...readerOf(asked), hasFolder, mayRetry };
  const mayPutBack = (one: ShareRow) => may(asked, 'delete-file', ownerOf(one));
  const lines = await Promise.all(
    shares.map((one) => shareLineFor(one, { ...reader, mayPutBack: mayPutBack(one) })),
  );
  return whereFiled({ lines, sharedBy: first.userId });
};

// Returns the shares that have a folder. A parked share is shown only if there is no other.
async function sharesToShow(
  shares: readonly ShareRow[],
  { ledger }: SurfaceContext,
): Promise<readonly ShareRow[]> {
  const files = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  const placed = shares.filter((_, nth) => files[nth]?.some(({ destination }) => destination));
  return placed.length > 0 ? placed : shares.slice(0, 1);
}
