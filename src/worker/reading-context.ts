import type { Clock, Logger, Random } from '../base/index.ts';
import { notRecorded, type Operator } from '../blocks/index.ts';
import type { Claim, Ledger, ReadingRow } from '../ledger/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Share } from '../transfers/index.ts';
import type { FindDestination } from './destinations.ts';
import type { HeldLease } from './job-loop.ts';

/** What reading a channel's history works with. */
export interface ReadingContext {
  ledger: Ledger;
  workspace: Workspace;
  findDestination: FindDestination;
  operator: Operator;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Since when events come in, by our clock: what was shared before, and is not known, was missed. */
  eventsSince: () => number;
  /** Something was recorded. */
  wake: () => void;
}

/** A channel's history that is held by a lease. */
export interface HeldReading {
  row: ReadingRow;
  claim: Claim;
  held: HeldLease;
}

/** Passes over a share that the ledger does not take: it is logged, and who shared it hears of it if Slack lets. */
export async function leaveUnrecorded(
  { channel, ts, userId, files }: Share,
  { workspace, operator, logger }: Pick<ReadingContext, 'workspace' | 'operator' | 'logger'>,
): Promise<void> {
  logger.error({ channel, ts }, 'A share cannot be recorded');
  if (!userId) return;
  const view = notRecorded({ files: files.length, operator });
  await workspace
    .postEphemeral({ channel, user: userId }, view)
    .catch((error: unknown) => logger.warn({ channel, ts, error }, 'Nobody could be told of it'));
}
