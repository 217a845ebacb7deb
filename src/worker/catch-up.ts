import type { ChannelRef } from '../ledger/index.ts';
import { SlackCallError, slackTsBefore } from '../slack/index.ts';
import { type CatchUpNeed, catchUpChannel } from './catch-up-channel.ts';
import type { CatchUpContext } from './catch-up-context.ts';

/** When to come back to what another instance has or what failed, in milliseconds: ten minutes in all. */
const COME_BACK_MS = [20_000, 40_000, 80_000, 160_000, 300_000];

/**
 * Reads every channel that has a destination from its last confirmed message on, and records the
 * shares that no event brought. What a channel held before the bot joined it or it was linked is
 * offered, not taken. A channel that another instance is reading, or that cannot be read just now, is
 * come back to for a while, and then left for the next run. Answers how many files were recorded.
 * Rejects with LedgerError when the ledger cannot tell how far the runs before came.
 */
export async function catchUp(context: CatchUpContext, signal: AbortSignal): Promise<number> {
  const { ledger, clock } = context;
  const neededAt = clock.now();
  const begunTs = slackTsBefore(neededAt);
  const awaySince = await ledger.awaySince();
  if (awaySince === null) await ledger.setAwaySince(begunTs);
  const { recorded, through } = await readAll({ neededAt, awaySince, context, signal });
  // Only now: a channel that is new, and was not come to, is read from there by the next run.
  if (through) await ledger.setAwaySince(begunTs);
  return recorded;
}

interface Run extends CatchUpNeed {
  context: CatchUpContext;
  signal: AbortSignal;
}

async function readAll(run: Run): Promise<{ recorded: number; through: boolean }> {
  const { context, signal } = run;
  let listed = await listChannels(context);
  let round = await readEach(listed.channels, run);
  let { recorded, refused } = round;
  for (const waitMs of COME_BACK_MS) {
    if (signal.aborted || (listed.all && round.again.length === 0)) break;
    await context.clock.sleep(waitMs, signal).catch(() => undefined);
    listed = listed.all ? { ...listed, channels: round.again } : await listChannels(context);
    round = await readEach(listed.channels, run);
    recorded += round.recorded;
    refused ||= round.refused;
  }
  return { recorded, through: listed.all && round.again.length === 0 && !refused };
}

interface Round {
  recorded: number;
  /** To come back to. */
  again: ChannelRef[];
  /** Whether Slack refused a channel, as it would again. */
  refused: boolean;
}

async function readEach(channels: ChannelRef[], run: Run): Promise<Round> {
  const round: Round = { recorded: 0, again: [], refused: false };
  for (const channel of channels) {
    const outcome = run.signal.aborted ? 'again' : await tryChannel(channel, run);
    if (outcome === 'again') round.again.push(channel);
    else if (outcome === 'refused') round.refused = true;
    else round.recorded += outcome;
  }
  return round;
}

/** The number of files that were recorded, or why the channel was not read. */
async function tryChannel(channel: ChannelRef, run: Run): Promise<number | 'again' | 'refused'> {
  const { context, signal } = run;
  try {
    return (await catchUpChannel(channel, run, context)) ?? 'again';
  } catch (error) {
    if (signal.aborted) return 'again';
    context.logger.warn({ channel: channel.channel, error }, 'A channel could not be caught up');
    if (!(error instanceof SlackCallError)) return 'again';
    if (error.retryAfterMs)
      await context.clock.sleep(error.retryAfterMs, signal).catch(() => undefined);
    return error.code === 'SLACK_REFUSED' ? 'refused' : 'again';
  }
}

interface Listed {
  channels: ChannelRef[];
  /** Whether these are all that the bot is in. */
  all: boolean;
}

async function listChannels({ ledger, workspace, logger }: CatchUpContext): Promise<Listed> {
  const { team } = workspace.identity;
  try {
    const channels = await workspace.channels();
    return { channels: channels.map((channel) => ({ team, channel })), all: true };
  } catch (error) {
    logger.warn({ error }, 'Slack did not list the channels; the linked ones are read');
    const known = await ledger.listChannels().catch(() => []);
    const linked = known.filter((channel) => channel.team === team && channel.linked);
    return { channels: linked, all: false };
  }
}
