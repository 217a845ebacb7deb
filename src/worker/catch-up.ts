import type { ChannelRef } from '../ledger/index.ts';
import { SlackCallError } from '../slack/index.ts';
import { type CatchUpNeed, catchUpChannel } from './catch-up-channel.ts';
import type { CatchUpContext } from './catch-up-context.ts';
import { slackTsBefore } from './slack-time.ts';

/** When to come back to a channel that another instance has. */
const HELD_WAIT_MS = 20_000;

/**
 * Reads every channel that has a destination from its last confirmed message on, and records the
 * shares that no event brought. What a channel held before the bot joined it or it was linked is
 * offered, not taken. A channel that another instance is reading is come back to; one that cannot be
 * read is left for the next time. Answers how many files were recorded. Rejects with LedgerError
 * when the ledger cannot tell how far the run before came.
 */
export async function catchUp(context: CatchUpContext, signal: AbortSignal): Promise<number> {
  const { ledger, clock } = context;
  const neededAt = clock.now();
  const begunTs = slackTsBefore(neededAt);
  const awaySince = await ledger.awaySince();
  if (awaySince === null) await ledger.setAwaySince(begunTs);
  const { channels, all } = await channelsOf(context);
  const { recorded, through } = await readAll(channels, { neededAt, awaySince, context, signal });
  // Only now: a channel that is new, and was not come to, is read from there by the next run.
  if (all && through) await ledger.setAwaySince(begunTs);
  return recorded;
}

interface Run extends CatchUpNeed {
  context: CatchUpContext;
  signal: AbortSignal;
}

async function readAll(channels: ChannelRef[], run: Run) {
  const { clock } = run.context;
  let recorded = 0;
  let failed = false;
  let left = channels;
  while (left.length > 0 && !run.signal.aborted) {
    const held: ChannelRef[] = [];
    for (const channel of left) {
      if (run.signal.aborted) break;
      const outcome = await tryChannel(channel, run);
      if (outcome === 'held') held.push(channel);
      else if (outcome === 'failed') failed = true;
      else recorded += outcome;
    }
    left = held;
    if (left.length > 0) await clock.sleep(HELD_WAIT_MS, run.signal).catch(() => undefined);
  }
  return { recorded, through: !failed && !run.signal.aborted };
}

/** The number of files that were recorded, or why the channel was not read. */
async function tryChannel(channel: ChannelRef, run: Run): Promise<number | 'held' | 'failed'> {
  const { context, signal } = run;
  try {
    return (await catchUpChannel(channel, run, context)) ?? 'held';
  } catch (error) {
    if (signal.aborted) return 'failed';
    context.logger.warn({ channel: channel.channel, error }, 'A channel could not be caught up');
    if (error instanceof SlackCallError && error.retryAfterMs)
      await context.clock.sleep(error.retryAfterMs, signal).catch(() => undefined);
    return 'failed';
  }
}

async function channelsOf({ ledger, workspace, logger }: CatchUpContext) {
  const { team } = workspace.identity;
  const refs = (ids: string[]): ChannelRef[] => ids.map((channel) => ({ team, channel }));
  try {
    return { channels: refs(await workspace.channels()), all: true };
  } catch (error) {
    logger.warn({ error }, 'Slack did not list the channels; the linked ones are read');
    const known = await ledger.listChannels().catch(() => []);
    const linked = known.filter((channel) => channel.team === team && channel.linked);
    return { channels: refs(linked.map(({ channel }) => channel)), all: false };
  }
}
