import type { App } from '@slack/bolt';
import {
  ACTIONS,
  backfillStarted,
  buttonOutOfDate,
  changeRefused,
  earlierFilesLeft,
  linkedElsewhere,
  nowhereToFile,
  parkedFiled,
  type RefusedChange,
  readFolderValue,
  readReportValue,
  type View,
} from '../blocks/index.ts';
import { type Destination, mayLink, sameDestination } from '../transfers/index.ts';
import { type Asked, offerBackfill } from './link-channel.ts';
import type { ChannelDestination, ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';

/** The offers to file what a channel held before it was linked, and the Stop of a backfill. */
export function listenForEarlierFiles(app: App, context: ListenerContext): void {
  const offer = { doing: 'file-earlier' as const, replace: true, read: readFolderValue };
  onPress(app, context, { ...offer, action: ACTIONS.fileParked, handle: fileParked });
  onPress(app, context, { ...offer, action: ACTIONS.leaveParked, handle: leave });
  onPress(app, context, { ...offer, action: ACTIONS.backfillStart, handle: startBackfill });
  onPress(app, context, { ...offer, action: ACTIONS.backfillDecline, handle: leave });
  onPress(app, context, {
    action: ACTIONS.backfillStop,
    doing: 'stop-filing',
    replace: false,
    read: readReportValue,
    handle: stopBackfill,
  });
}

async function refusalOf(
  change: RefusedChange,
  { userId, userTeam }: Asked,
  { workspace }: ListenerContext,
): Promise<View | null> {
  const reason = mayLink(await workspace.actor(userId, userTeam));
  return reason === 'allowed' ? null : changeRefused({ change, reason });
}

type Filing = (asked: Asked, to: ChannelDestination, context: ListenerContext) => Promise<View>;

/** Files what was there before, for somebody who may link, where the offer said that it would go. */
function filing(file: Filing) {
  return async (asked: Asked, claim: Destination, context: ListenerContext): Promise<View> => {
    const refusal = await refusalOf('file-earlier', asked, context);
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

async function leave(): Promise<View> {
  return earlierFilesLeft();
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
  const starter = report.startedBy === asked.userId;
  const refusal = starter ? null : await refusalOf('stop-filing', asked, context);
  if (refusal) return refusal;
  await context.ledger.stopReport(report, context.clock.now());
  context.wake();
  return null;
}
