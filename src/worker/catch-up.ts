import { backoff, createWakeable } from '../base/index.ts';
import { notRecorded } from '../blocks/index.ts';
import type { ReadingRow } from '../ledger/index.ts';
import { type HistoryPage, type Move, slackTs, slackTsBefore } from '../slack/index.ts';
import type { ChannelRef, Share } from '../transfers/index.ts';
import { assertHeld, type HeldRow } from './job.ts';
import type { WorkerContext } from './worker-context.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The waits before another try when not all channels could be listed. */
const RELIST_WAITS = { firstMs: 20_000, longestMs: HOUR_MS };

/**
 * Requests a catch-up of every channel that has a destination, or may be a linked one with another
 * identifier: at the start, every hour, and after runSoon. See requestCatchUp. If Slack does not
 * list the channels, requests it for the linked ones and tries to list the others later.
 */
export class CatchUpSchedule {
  /** See WorkerContext. */
  eventsSince: number;
  readonly #context: WorkerContext;
  readonly #startedAt: number;
  readonly #wakeable = createWakeable();

  /** `startedAt`: when the process began, by our clock: the first listing counts as made then. */
  constructor(context: WorkerContext, startedAt: number) {
    this.#context = context;
    this.#startedAt = startedAt;
    this.eventsSince = context.clock.wall();
  }

  /** Must be called when events begin to come in. */
  start(): void {
    const { clock, stopping, inBackground } = this.#context;
    this.eventsSince = clock.wall();
    stopping.addEventListener('abort', this.#wakeable.wake);
    inBackground(this.#run());
  }

  /** Must be called when Slack or the database is back after an outage: events may be missing. */
  runSoon(): void {
    this.eventsSince = this.#context.clock.wall();
    this.#wakeable.wake();
  }

  async #run(): Promise<void> {
    const { clock, logger, stopping } = this.#context;
    let begunAt = this.#startedAt;
    for (let failures = 0; !stopping.aborted; begunAt = clock.wall()) {
      const listedAll = await this.#request(slackTsBefore(begunAt)).catch((error: unknown) => {
        logger.error(
          { error },
          'The channels to catch up could not be recorded; that is tried again',
        );
        return false;
      });
      failures = listedAll ? 0 : failures + 1;
      const waitMs = listedAll ? HOUR_MS : backoff(failures, RELIST_WAITS);
      await this.#wakeable.wait(waitMs, clock);
    }
  }

  /** Resolves with whether all channels could be listed. */
  async #request(begunTs: string): Promise<boolean> {
    const { ledger, workspace, operatorWatch, clock, logger, findDestination, wake, stopping } =
      this.#context;
    const { team } = workspace.identity;
    const now = clock.now();
    const listed = await workspace.channels(stopping).catch((error: unknown) => {
      if (!stopping.aborted)
        logger.warn({ error }, 'Slack did not list the channels; the linked ones are read');
      return null;
    });
    if (listed !== null) operatorWatch.channelsListed(listed);
    const all = listed !== null && workspace.listsAll;
    const linked = [...(await ledger.listLinks(team)).keys()];
    // A linked channel that Slack lists no more may be another by now, one that was never read: see
    // moveHere. An archived one is not listed either.
    const isOneLost = all && linked.some((channel) => !listed.includes(channel));
    const isNew = async (ref: ChannelRef) => !(await ledger.findHistoryMarks(ref)).confirmedTs;
    const channels: string[] = [];
    for (const channel of all ? listed : new Set([...(listed ?? []), ...linked])) {
      const ref = { team, channel };
      if ((await findDestination(ref)) || (isOneLost && (await isNew(ref)))) channels.push(channel);
    }
    await ledger.requestCatchUp({ team, channels, all, begunTs, now });
    wake();
    return all;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Threads are read that began up to this long before the last confirmed message. */
const THREADS_MS = 30 * DAY_MS;
/** Most that Slack's clock and ours may differ by: with more, Slack's requests are rejected. */
const SKEW_MS = 5 * 60_000;
/** How long Slack may take to deliver an event: a younger share is not missed yet. */
export const DELIVERY_MS = 60_000;

/**
 * Reads a channel from its last confirmed message on, and records the files that no event brought.
 * Files from before the bot joined or the channel was linked are offered as a backfill instead. A
 * channel without a destination is only read for whether it is another one's: see moveHere.
 */
export async function catchUp(reading: HeldRow<ReadingRow>, context: WorkerContext): Promise<void> {
  const { row, claim, held } = reading;
  const { ledger, clock, logger, wake } = context;
  const { channel } = row;
  const readTs = slackTsBefore(clock.wall());
  const isFiled = (await context.findDestination(row)) !== null;
  let shares = await readMissed(reading, context);
  assertHeld(held, clock);
  const isMoved = await moveHere(row, shares, context);
  if (isMoved) shares = await readMissed(reading, context);
  assertHeld(held, clock);
  // Reading takes minutes, in which the channel may have been linked, relinked or unlinked.
  const destination = isFiled || isMoved ? await context.findDestination(row) : null;
  if (destination && shares.length > 0) {
    const found = { reading: row, shares, destination, now: clock.now() };
    const { files, unrecordable } = await ledger.recordFound(claim, found);
    wake();
    for (const { share, error } of unrecordable) await leaveUnrecorded(share, context, error);
    logger.info({ channel, files }, 'Files that no event brought were recorded');
  }
  await ledger.confirmUpTo(row, readTs);
  await ledger.finishCatchUp(claim);
}

// The event of a channel's new identifier may be missed, too. Its messages are then known under the
// old one, which Slack no longer knows.
async function moveHere(
  { team, channel: to }: ReadingRow,
  shares: readonly Share[],
  { ledger, workspace, clock, logger }: WorkerContext,
): Promise<boolean> {
  const channel = await ledger.otherChannelOf({ team, channel: to }, shares);
  if (channel === null || (await workspace.isIn(channel))) return false;
  await ledger.moveChannel({ team, channel }, { to, now: clock.now() });
  logger.info({ team, channel, to }, 'A channel got another identifier');
  return true;
}

// A mark far ahead of now was written while our clock ran ahead, and would hide all shares since.
function plausibleMark(confirmedTs: string | null, now: number): string | null {
  const isAhead = confirmedTs !== null && confirmedTs > slackTs(now + SKEW_MS);
  return isAhead ? slackTs(now - DAY_MS) : confirmedTs;
}

async function readMissed(
  { row, held }: HeldRow<ReadingRow>,
  { workspace, ledger, clock, eventsSince }: WorkerContext,
): Promise<Share[]> {
  const { channel, since } = row;
  const marks = await ledger.findHistoryMarks(row);
  const confirmedTs = plausibleMark(marks.confirmedTs, clock.wall());
  const oldest = confirmedTs ?? since ?? slackTs(clock.wall());
  const missedBefore = slackTs(Math.max(eventsSince(), clock.wall() - DELIVERY_MS));
  const threadsSince = slackTs(Math.max(0, Number(oldest) * 1000 - THREADS_MS));
  const range = { oldest, threadsSince, signal: held.signal };
  const { shares, moves } = await readAll(workspace.history(channel, range));
  const joinedTs = laterOf(marks.joinedTs, lastOf(moves, 'join'));
  // In a channel without a confirmed message, only shares after the bot's join were missed; without
  // a known join, the bot was already there at `oldest`.
  const from = confirmedTs ?? joinedTs ?? oldest;
  const wasAway = (ts: string) => isInAbsence(ts, moves, marks.joinedTs);
  const fresh = shares.filter(({ ts }) => ts > from && ts < missedBefore && !wasAway(ts));
  const missed = await ledger.unknownFiles(row, fresh);
  return missed.sort((a, b) => (a.ts < b.ts ? -1 : 1));
}

async function readAll(
  pages: AsyncIterable<HistoryPage>,
): Promise<Pick<HistoryPage, 'shares' | 'moves'>> {
  const shares: Share[] = [];
  const moves: Move[] = [];
  for await (const page of pages) {
    shares.push(...page.shares);
    moves.push(...page.moves);
  }
  return { shares, moves };
}

function lastOf(moves: readonly Move[], wanted: Move['kind']): string | null {
  return moves.find(({ kind }) => kind === wanted)?.ts ?? null;
}

// The history may lack a leave. The bot then counts as away until a join that an event reported;
// without such an event it may have been there all the time.
function isInAbsence(ts: string, moves: readonly Move[], reportedJoin: string | null): boolean {
  const nth = moves.findIndex((move) => move.ts < ts);
  if (moves[nth]?.kind === 'leave' && moves[nth - 1]?.kind === 'join') return true;
  const leftTs = lastOf(moves, 'leave');
  const backTs = leftTs === null ? reportedJoin : laterOf(reportedJoin, lastOf(moves, 'join'));
  return backTs !== null && (leftTs ?? '') < ts && ts < backTs;
}

/** Returns the later of two of Slack's timestamps, each null if unknown. */
export function laterOf(one: string | null, other: string | null): string | null {
  return (one ?? '') > (other ?? '') ? one : other;
}

/**
 * Skips a share that the ledger refuses and would refuse again: logs it, and notifies the member
 * who shared it, unless Slack rejects the message.
 */
export async function leaveUnrecorded(
  { channel, ts, threadTs, userId, files }: Share,
  { workspace, operator, logger }: Pick<WorkerContext, 'workspace' | 'operator' | 'logger'>,
  error: unknown,
): Promise<void> {
  logger.error({ channel, ts, error }, 'A share cannot be recorded');
  if (!userId) return;
  const view = notRecorded({ files: files.length, operator });
  await workspace
    .postEphemeral({ channel, user: userId, threadTs }, view)
    .catch((error: unknown) =>
      logger.warn(
        { channel, ts, error },
        'A sharer could not be notified that their files cannot be recorded',
      ),
    );
}
