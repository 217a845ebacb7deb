import { nowhereToFile, type View, waitingFiles, waitingSettled } from '../blocks/index.ts';
import type { Destination, FolderRef } from '../transfers/index.ts';
import { type Asked, refusalOf } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { postPrivately } from './post.ts';
import { nameFolder } from './show-files.ts';

/**
 * After a channel's link was changed or taken away: what was refused because of the folder of before
 * is tried in the new one, and whoever changed it is asked what becomes of the files that wait.
 */
export async function settleWaiting(
  asked: Asked,
  from: FolderRef,
  context: ListenerContext,
): Promise<void> {
  const { ledger, findDestination, clock, wake } = context;
  const ref = { team: asked.team, channel: asked.channel };
  const to = await findDestination(ref);
  if (to) await ledger.retryElsewhere(ref, { from, to, now: clock.now() });
  wake();
  const count = await ledger.countWaiting(ref, from);
  if (count === 0) return;
  const waiting = { count, from, to: to && (await nameFolder(to, context)) };
  await postPrivately(asked, (elsewhere) => waitingFiles({ ...waiting, elsewhere }), context);
}

type Choice = (asked: Asked, from: Destination, context: ListenerContext) => Promise<View>;

/** What becomes of the files that wait for the folder of before, as somebody chose who may link. */
function choice(choose: Choice): Choice {
  return async (asked, from, context) =>
    refusalOf(asked, 'file-earlier') ?? choose(asked, from, context);
}

/** They go where the channel's files go now. */
export const moveWaiting = choice(async (asked, from, context) => {
  const to = await context.findDestination(asked);
  if (!to) return nowhereToFile();
  const now = context.clock.now();
  const count = await context.ledger.moveWaiting(asked, { from, to, now });
  context.wake();
  return settled(asked, { count, from, to }, context);
});

/** They go to that folder, as they would have. */
export const keepWaiting = choice(async (asked, from, context) => {
  const to = await nameFolder(from, context);
  const count = await context.ledger.countWaiting(asked, from);
  return waitingSettled({ count, from: to, to, beingSent: 0 });
});

/** They are not filed. */
export const leaveWaiting = choice(async (asked, from, context) => {
  const count = await context.ledger.leaveWaiting(asked, { from, now: context.clock.now() });
  context.wake();
  return settled(asked, { count, from, to: null }, context);
});

interface Settled {
  count: number;
  from: Destination;
  to: Destination | null;
}

async function settled(
  asked: Asked,
  { count, from, to }: Settled,
  context: ListenerContext,
): Promise<View> {
  const beingSent = await context.ledger.countWaiting(asked, from);
  const [was, is] = [await nameFolder(from, context), to && (await nameFolder(to, context))];
  return waitingSettled({ count, from: was, to: is, beingSent });
}
