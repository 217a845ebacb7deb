import {
  backfillStarted,
  buttonOutOfDate,
  earlierFilesLeft,
  linkedElsewhere,
  nothingToRetry,
  nowhereToFile,
  parkedFiled,
  type View,
} from '../blocks/index.ts';
import type { ChannelRef } from '../ledger/index.ts';
import { type ChannelDestination, type Destination, sameDestination } from '../transfers/index.ts';
import { type Asked, refusalOf } from './answer.ts';
import { offerBackfill } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { nameFolder } from './show-files.ts';

/**
 * Retry and Try now: members may ask for another try of any files of the channel. The line in the
 * thread shows what comes of it; where there is nothing to try, the answer says so.
 */
export async function retryShare(
  asked: Asked,
  { shareId }: { shareId: number },
  context: ListenerContext,
): Promise<View | null> {
  const { team, channel } = asked;
  const share = await context.ledger.findShareById(shareId);
  if (!share || share.team !== team) return null;
  if (channel !== share.channel && channel !== share.replyChannel) return null;
  const refusal = refusalOf(asked, 'retry', share.userId);
  if (refusal) return refusal;
  const count = await tryAgain({ team, channel }, [share], context);
  return count > 0 ? null : nothingToRetry();
}

/** Tries again what of a channel's shares is refused or waits, in the folder of now; returns how many files. */
export async function tryAgain(
  ref: ChannelRef,
  shares: readonly { id: number }[],
  { ledger, findDestination, clock, wake }: ListenerContext,
): Promise<number> {
  const destination = await findDestination(ref);
  let count = 0;
  for (const { id } of shares) {
    if (destination) await ledger.redirectShare(id, destination);
    count += await ledger.retryShare(id, clock.now());
  }
  wake();
  return count;
}

type Filing = (asked: Asked, to: ChannelDestination, context: ListenerContext) => Promise<View>;

// Files what was there before, for somebody who may link, where the offer said that it would go.
function filing(file: Filing) {
  return async (asked: Asked, claim: Destination, context: ListenerContext): Promise<View> => {
    const refusal = refusalOf(asked, 'file-earlier');
    if (refusal) return refusal;
    const destination = await context.findDestination(asked);
    if (!destination) return nowhereToFile();
    if (!sameDestination(destination, claim))
      return linkedElsewhere({ folder: await nameFolder(destination, context) });
    return file(asked, destination, context);
  };
}

/** The offer to file what was parked is taken. */
export const fileParked = filing(async (asked, destination, context) => {
  const { projectId, folderId } = destination;
  const to = { destination: { projectId, folderId }, now: context.clock.now() };
  const count = await context.ledger.fileParked(asked, to);
  context.wake();
  context.inBackground(offerBackfill(asked, destination, context));
  return parkedFiled({ count });
});

/** An offer is declined. */
export async function leaveEarlier(asked: Asked): Promise<View> {
  return refusalOf(asked, 'file-earlier') ?? earlierFilesLeft();
}

/** The offer to file the history is taken. */
export const startBackfill = filing(async (asked, _to, context) => {
  await context.backfill.begin(asked, { startedBy: asked.userId });
  return backfillStarted();
});

/** A backfill is stopped, by the person who started it or an admin. */
export async function stopBackfill(
  asked: Asked,
  { reportId }: { reportId: number },
  context: ListenerContext,
): Promise<View | null> {
  const report = await context.ledger.findReport(reportId);
  if (!report || report.channel !== asked.channel || report.team !== asked.team)
    return buttonOutOfDate();
  const refusal = refusalOf(asked, 'stop-filing', report.startedBy);
  if (refusal) return refusal;
  await context.ledger.stopReport(report, context.clock.now());
  context.wake();
  return null;
}
