import type { ChannelRef } from '../ledger/index.ts';
import { SlackCallError } from '../slack/index.ts';
import { catchUpChannel } from './catch-up-channel.ts';
import type { CatchUpContext } from './catch-up-context.ts';

/** When to come back to a channel that another instance has. */
const HELD_WAIT_MS = 20_000;

/**
 * Reads every channel that has a destination from its last confirmed message on, and records the
 * shares that no event brought. What a channel held before the bot joined it or it was linked is
 * offered, not taken. A channel that another instance is reading is come back to. Answers
 * how many files were recorded. Never rejects: a channel that cannot be read is left for the next
 * time.
 */
export async function catchUp(context: CatchUpContext, signal: AbortSignal): Promise<number> {
  const { clock } = context;
  const neededAt = clock.now();
  // Before any channel is read: reading moves it on.
  const awaySince = await lastConfirmed(context);
  let recorded = 0;
  let left = await channelsOf(context);
  while (left.length > 0 && !signal.aborted) {
    const held: ChannelRef[] = [];
    for (const channel of left) {
      if (signal.aborted) break;
      const files = await tryChannel(channel, { neededAt, awaySince, context, signal });
      if (files === null) held.push(channel);
      else recorded += files;
    }
    left = held;
    if (left.length > 0) await clock.sleep(HELD_WAIT_MS, signal).catch(() => undefined);
  }
  return recorded;
}

interface Run {
  neededAt: number;
  awaySince: string | null;
  context: CatchUpContext;
  signal: AbortSignal;
}

async function tryChannel(
  channel: ChannelRef,
  { neededAt, awaySince, context, signal }: Run,
): Promise<number | null> {
  try {
    return await catchUpChannel(channel, { neededAt, awaySince }, context);
  } catch (error) {
    if (signal.aborted) return 0;
    context.logger.warn({ channel: channel.channel, error }, 'A channel could not be caught up');
    if (error instanceof SlackCallError && error.retryAfterMs)
      await context.clock.sleep(error.retryAfterMs, signal).catch(() => undefined);
    return 0;
  }
}

async function channelsOf({ ledger, workspace, logger }: CatchUpContext): Promise<ChannelRef[]> {
  const { team } = workspace.identity;
  const joined = await workspace.channels().catch(async (error: unknown) => {
    logger.warn({ error }, 'Slack did not list the channels; the linked ones are read');
    const known = await ledger.listChannels().catch(() => []);
    const linked = known.filter((channel) => channel.team === team && channel.linked);
    return linked.map(({ channel }) => channel);
  });
  return joined.map((channel) => ({ team, channel }));
}

async function lastConfirmed({ ledger, workspace }: CatchUpContext): Promise<string | null> {
  return ledger.latestConfirmed(workspace.identity.team).catch(() => null);
}
