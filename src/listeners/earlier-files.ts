import type { App } from '@slack/bolt';
import {
  ACTIONS,
  backfillStarted,
  buttonOutOfDate,
  changeRefused,
  earlierFilesLeft,
  folderValue,
  linkedElsewhere,
  nowhereToFile,
  parkedFiled,
  reportValue,
  type View,
} from '../blocks/index.ts';
import { type Destination, sameDestination, verdictOn } from '../transfers/index.ts';
import type { Asked } from './asked.ts';
import { offerBackfill } from './link-channel.ts';
import type { ChannelDestination, ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';

/** The offers to file what a channel held before it was linked, and the Stop of a backfill. */
export function listenForEarlierFiles(app: App, context: ListenerContext): void {
  const offer = { doing: 'file-earlier' as const, replace: true, value: folderValue };
  onPress(app, context, { ...offer, action: ACTIONS.fileParked, handle: fileParked });
  onPress(app, context, { ...offer, action: ACTIONS.leaveParked, handle: leave });
  onPress(app, context, { ...offer, action: ACTIONS.backfillStart, handle: startBackfill });
  onPress(app, context, { ...offer, action: ACTIONS.backfillDecline, handle: leave });
  onPress(app, context, {
    action: ACTIONS.backfillStop,
    doing: 'stop-filing',
    replace: false,
    value: reportValue,
    handle: stopBackfill,
  });
}

function refusalOf(
  asked: Asked,
  change: 'file-earlier' | 'stop-filing',
  startedBy: string | null = null,
): View | null {
  const reason = verdictOn(asked, change, startedBy);
  return reason === 'allowed' ? null : changeRefused({ change, reason });
}

type Filing = (asked: Asked, to: ChannelDestination, context: ListenerContext) => Promise<View>;

/** Files what was there before, for somebody who may link, where the offer said that it would go. */
function filing(file: Filing) {
  return async (asked: Asked, claim: Destination, context: ListenerContext): Promise<View> => {
    const refusal = refusalOf(asked, 'file-earlier');
    if (refusal) return refusal;
    const destination = await context.findDestination(asked);
    if (!destination) return nowhereToFile();
    if (!sameDestination(destination, claim))
      return linkedElsewhere({ folder: { ...destination, name: destination.folderName } });
    return file(asked, destination, context);
  };
}

const fileParked = filing(async (asked, destination, context) => {
  const { projectId, folderId } = destination;
  const to = { destination: { projectId, folderId }, now: context.clock.now() };
  const count = await context.ledger.fileParked(asked, to);
  context.wake();
  context.inBackground(offerBackfill(asked, destination, context));
  return parkedFiled({ count });
});

async function leave(asked: Asked): Promise<View> {
  return refusalOf(asked, 'file-earlier') ?? earlierFilesLeft();
}

const startBackfill = filing(async (asked, _to, context) => {
  await context.backfill.begin(asked, { startedBy: asked.userId });
  return backfillStarted();
});

async function stopBackfill(
  asked: Asked,
  reportId: number,
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
