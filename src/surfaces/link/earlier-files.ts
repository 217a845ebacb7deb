import { type Destination, type FolderRef, sameDestination } from '../../core/index.ts';
import { postPrivately } from '../../slack/index.ts';
import { type Asked, type Handler, type PrivateView, readerOf, refusalOf } from '../kit/answer.ts';
import { buttonOutOfDate } from '../kit/refusals.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import {
  backfillOffer,
  backfillStarted,
  confirmParked,
  EARLIER_FILES_TAKEN,
  earlierFilesLeft,
  linkedElsewhere,
  nowhereToFile,
  parkedFiled,
  waitingFiles,
  waitingSettled,
} from './earlier-files-view.ts';

/*
 * The person who links a channel is asked what to do with files shared before it had a folder, and
 * with files that wait for its previous folder. The caller checks rights, except as noted.
 */

/**
 * Returns the question about parked files. If there are none, returns null, counts the files in the
 * channel's history in the background, and offers privately to file them.
 */
export const offerEarlier: Handler<Destination, PrivateView | null> = async (
  asked,
  destination,
  context,
) => {
  const count = await context.ledger.countParked(asked);
  if (count > 0) return (elsewhere) => confirmParked({ count, destination, elsewhere });
  context.inBackground(offerBackfill(asked, destination, context));
  return null;
};

/** Does the same as offerEarlier for a person who waits for no answer: posts it privately. */
export const offerEarlierPrivately: Handler<Destination, void> = async (asked, to, context) => {
  const question = await offerEarlier(asked, to, context);
  if (question) await postPrivately(readerNow(asked, context), question, context);
};

// Counts the files in the channel's history and offers privately to file them.
const offerBackfill: Handler<Destination, void> = async (asked, destination, context) => {
  const { team, channel } = asked;
  const reader = readerNow(asked, context);
  const { count, more } = await context.countEarlier({ team, channel });
  if (count === 0) return;
  const offer = (elsewhere?: string) => backfillOffer({ count, more, destination, elsewhere });
  await postPrivately(reader, offer, context);
};

// A person who asks now is active in the channel, unless they ask from elsewhere.
function readerNow(asked: Asked, { clock }: SurfaceContext) {
  return { ...asked, seenAt: asked.isElsewhere ? null : clock.now() };
}

// Files earlier files only if the channel's folder is still the one that the offer named.
function ifStillOffered(file: Handler<Destination>): Handler<Destination> {
  return async (asked, offered, context) => {
    const destination = await context.findDestination(asked);
    if (!destination) return nowhereToFile(readerOf(asked));
    if (sameDestination(destination, offered)) return file(asked, destination, context);
    const folder = await context.names.nameFolder(destination);
    return linkedElsewhere({ ...readerOf(asked), folder });
  };
}

/** Accepts the offer to file parked files. */
export const fileParked = ifStillOffered(async (asked, destination, context) => {
  const { ledger, clock } = context;
  const to = { destination, now: clock.now() };
  const count = await ledger.fileParked(asked, { ...to, startedBy: asked.userId });
  context.wake();
  context.inBackground(offerBackfill(asked, destination, context));
  return parkedFiled({ count });
});

/** Accepts the offer to file the channel's history. Its report shows the progress in the channel. */
export const startBackfill = ifStillOffered(async (asked, _to, { ledger, clock, wake }) => {
  await ledger.beginBackfill(asked, { startedBy: asked.userId, now: clock.now() });
  wake();
  return backfillStarted(readerOf(asked));
});

type AreTaken = (asked: Asked, context: SurfaceContext) => Promise<boolean>;

// The same offer may be shown twice or to several people, so another answer may have come first.
function unlessTaken(areTaken: AreTaken): Handler<Destination> {
  return async (asked, _claim, context) => {
    if (await areTaken(asked, context)) return EARLIER_FILES_TAKEN;
    const newOnesFiled = (await context.findDestination(asked)) !== null;
    return earlierFilesLeft({ newOnesFiled });
  };
}

/** Declines the offer to file parked files. */
export const leaveParked = unlessTaken(
  async (asked, { ledger }) => (await ledger.countParked(asked)) === 0,
);

/** Declines the offer to file the channel's history. */
export const declineBackfill = unlessTaken((asked, { ledger }) => ledger.isBackfilled(asked));

/** Stops a backfill. Checks that the person started it or is an admin. */
export const stopBackfill: Handler<{ reportId: number }> = async (asked, { reportId }, context) => {
  const report = await context.ledger.findReport(reportId);
  if (!report || report.channel !== asked.channel || report.team !== asked.team)
    return buttonOutOfDate();
  const refusal = refusalOf(asked, 'stop-filing', report.startedBy);
  if (refusal) return refusal;
  await context.ledger.stopReport(report, context.clock.now());
  context.wake();
  return null;
};

/**
 * Follows up on a changed or removed link: retries in the new folder what was refused for the
 * previous one, and asks the person privately what to do with files that wait for the previous one.
 */
export const settleWaiting: Handler<FolderRef, void> = async (asked, from, context) => {
  const { ledger, names, findDestination } = context;
  const reader = readerNow(asked, context);
  const to = await findDestination(asked);
  if (to) await tryAgain(await ledger.sharesRefusedFor(asked, from), { to }, context);
  const count = await ledger.countWaiting(asked, from);
  if (count === 0) return;
  const waiting = { count, from, to: to && (await names.nameFolder(to)) };
  const question = (elsewhere?: string) => waitingFiles({ ...waiting, elsewhere });
  await postPrivately(reader, question, context);
};

/** Retries shares: see the ledger's retryShare. Returns how many files became due. */
export async function tryAgain(
  shares: readonly { id: number }[],
  where: { to: Destination | null; unseenToo?: boolean },
  { ledger, clock, wake }: SurfaceContext,
): Promise<number> {
  let count = 0;
  for (const { id } of shares) count += await ledger.retryShare(id, { ...where, now: clock.now() });
  wake();
  return count;
}

/** Moves the waiting files to the channel's current folder. */
export const moveWaiting: Handler<Destination> = async (asked, from, context) => {
  const to = await context.findDestination(asked);
  if (!to) return nowhereToFile(readerOf(asked));
  // The channel has its earlier folder again since the question.
  if (sameDestination(from, to)) return keepWaiting(asked, from, context);
  const now = context.clock.now();
  const count = await context.ledger.moveWaiting(asked, { from, to, now });
  return showSettled(asked, { count, from, to }, context);
};

/** Leaves the waiting files on their way to the previous folder. */
export const keepWaiting: Handler<Destination> = async (asked, from, context) => {
  const to = await context.names.nameFolder(from);
  const count = await context.ledger.countWaiting(asked, from);
  return waitingSettled({ count, from: to, to, beingSent: 0 });
};

/** Leaves the waiting files in Slack. */
export const parkWaiting: Handler<Destination> = async (asked, from, context) => {
  const to = await context.findDestination(asked);
  if (to && sameDestination(from, to)) return keepWaiting(asked, from, context);
  const count = await context.ledger.parkWaiting(asked, { from, now: context.clock.now() });
  return showSettled(asked, { count, from, to: null }, context);
};

interface Settled {
  count: number;
  from: Destination;
  to: Destination | null;
}

const showSettled: Handler<Settled> = async (asked, { count, from, to }, context) => {
  const { ledger, names, wake } = context;
  wake();
  const beingSent = await ledger.countWaiting(asked, from);
  const [was, is] = [await names.nameFolder(from), to && (await names.nameFolder(to))];
  return waitingSettled({ count, from: was, to: is, beingSent });
};
