import type { Clock, Logger } from '../base/index.ts';
import type { ChannelRef, Ledger } from '../ledger/index.ts';
import { SlackCallError, type Workspace } from '../slack/index.ts';
import type { Share } from '../transfers/index.ts';
import type { FindDestination } from './destinations.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A thread is looked into when its first message is no older than this before the last catch-up. */
const THREADS_MS = 30 * DAY_MS;
/** How long an event may be on its way: what is younger is not missed yet. */
const DELIVERY_MS = 60_000;
/** How far before the last confirmed message history is read again: events may come late. */
const OVERLAP_MS = 2 * 60_000;

export interface CatchUpContext {
  ledger: Ledger;
  workspace: Workspace;
  findDestination: FindDestination;
  clock: Clock;
  logger: Logger;
  /** Since when events come in, by our clock: what was shared before, and is not known, was missed. */
  eventsSince: () => number;
  /** Something was recorded. */
  wake: () => void;
}

/**
 * Reads every channel that has a destination from its last confirmed message on, and records the
 * shares that no event brought. The first time a channel is seen nothing is recorded: what it held
 * before is offered, not taken. Answers how many files were recorded. Never rejects: a channel that
 * cannot be read is left for the next time.
 */
export async function catchUp(context: CatchUpContext, signal: AbortSignal): Promise<number> {
  let recorded = 0;
  for (const channel of await channelsOf(context)) {
    if (signal.aborted) break;
    try {
      recorded += await catchUpChannel(channel, context);
    } catch (error) {
      context.logger.warn({ channel: channel.channel, error }, 'A channel could not be caught up');
      if (error instanceof SlackCallError && error.retryAfterMs)
        await context.clock.sleep(error.retryAfterMs, signal).catch(() => undefined);
    }
  }
  return recorded;
}

interface ChannelToRead extends ChannelRef {
  confirmedTs: string | null;
}

async function channelsOf({ ledger, workspace, logger }: CatchUpContext): Promise<ChannelToRead[]> {
  const { team } = workspace.identity;
  const known = await ledger.listChannels().catch(() => []);
  const own = known.filter((channel) => channel.team === team);
  const confirmed = new Map(own.map((channel) => [channel.channel, channel.confirmedTs]));
  const joined = await workspace.channels().catch((error: unknown) => {
    logger.warn({ error }, 'Slack did not list the channels; the linked ones are read');
    return own.filter((channel) => channel.linked).map((channel) => channel.channel);
  });
  return joined.map((channel) => ({ team, channel, confirmedTs: confirmed.get(channel) ?? null }));
}

async function catchUpChannel(channel: ChannelToRead, context: CatchUpContext): Promise<number> {
  const destination = await context.findDestination(channel);
  if (!destination) return 0;
  const readAt = context.clock.now();
  const missed = channel.confirmedTs ? await readMissed(channel, context) : [];
  const recorded = missed.length > 0 ? await record(channel, missed, { destination, context }) : 0;
  await context.ledger.confirmUpTo(channel, slackTs(readAt - OVERLAP_MS));
  if (recorded > 0) context.wake();
  return recorded;
}

async function readMissed(
  { team, channel, confirmedTs }: ChannelToRead,
  { workspace, ledger, clock, eventsSince }: CatchUpContext,
): Promise<Share[]> {
  const missedBefore = slackTs(Math.max(eventsSince(), clock.now() - DELIVERY_MS));
  const oldest = confirmedTs ?? '0';
  const threadsSince = slackTs(Math.max(0, Number(oldest) * 1000 - THREADS_MS));
  const shares: Share[] = [];
  for await (const page of workspace.history(channel, { oldest, threadsSince }))
    shares.push(...page.shares.filter((share) => share.ts < missedBefore));
  const known = await ledger.knownShares(
    { team, channel },
    shares.map((share) => share.ts),
  );
  const missed = shares.filter((share) => !known.has(share.ts));
  return missed.sort((a, b) => (a.ts < b.ts ? -1 : 1));
}

async function record(
  channel: ChannelRef,
  shares: Share[],
  {
    destination,
    context,
  }: { destination: { projectId: number; folderId: number }; context: CatchUpContext },
): Promise<number> {
  const { ledger, clock } = context;
  const { team, channel: id } = channel;
  const report = { team, channel: id, kind: 'catch-up' as const, startedBy: null };
  const reportId = await ledger.createReport({ ...report, now: clock.now() });
  let files = 0;
  for (const share of shares) {
    const input = { share, origin: 'catch-up' as const, destination, reportId, now: clock.now() };
    files += (await ledger.recordShare(input)).transfers;
  }
  await ledger.reportChanged(reportId, clock.now());
  context.logger.info({ channel: id, files }, 'Files that no event brought were recorded');
  return files;
}

function slackTs(ms: number): string {
  return (ms / 1000).toFixed(6);
}
