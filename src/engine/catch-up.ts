import { backoff, createWakeable } from '../base/index.ts';
import { type ChannelRef, type Destination, REDELIVERED_MS, type Share } from '../core/index.ts';
import type { ChannelRow } from '../ledger/index.ts';
import {
  type HistoryPage,
  type Move,
  slackTs,
  slackTsBefore,
  slackTsFrom,
} from '../slack/index.ts';
import type { EngineContext } from './engine-context.ts';
import { assertHeld, type HeldRow } from './job.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The waits before another try when not all channels could be listed. */
const RELIST_WAITS = { firstMs: 20_000, longestMs: HOUR_MS };

/**
 * Requests a catch-up of every channel that has a destination, or may be a linked one with another
 * identifier: at the start, every hour, and after runSoon. See requestCatchUp. If Slack does not
 * list the channels, requests it for the linked ones and tries to list the others later. An absence
 * before the start and longer outages count as interruptions, after which more than the newest page is
 * read.
 */
export class CatchUpSchedule {
  /** See EngineContext. */
  eventsSince: number;
  readonly #context: EngineContext;
  readonly #begunTs: string;
  readonly #wakeable = createWakeable();
  /** Whether Slack has listed the channels since the start. */
  #isListed = false;
  /** Whether events may be missing since the last request. */
  #isInterrupted: boolean;

  /**
   * `begunTs`: when the process began, by Slack's clock: the first listing counts as made then.
   * `wasAway`: whether events may be missing from before.
   */
  constructor(context: EngineContext, { begunTs, wasAway }: { begunTs: string; wasAway: boolean }) {
    this.#context = context;
    this.#begunTs = begunTs;
    this.#isInterrupted = wasAway;
    this.eventsSince = context.clock.wall();
  }

  /** Must be called when events begin to come in. */
  start(): void {
    const { clock, stopping, inBackground } = this.#context;
    this.eventsSince = clock.wall();
    stopping.addEventListener('abort', this.#wakeable.wake);
    inBackground(this.#run());
  }

  /**
   * Must be called when Slack or the database is back after an outage of so many milliseconds:
   * events may be missing.
   */
  runSoon(outageMs: number): void {
    this.eventsSince = this.#context.clock.wall();
    if (outageMs >= REDELIVERED_MS) this.#isInterrupted = true;
    this.#wakeable.wake();
  }

  async #run(): Promise<void> {
    const { clock, logger, stopping } = this.#context;
    for (let failures = 0; !stopping.aborted; ) {
      const isInterrupted = this.#isInterrupted;
      this.#isInterrupted = false;
      const listedAll = await this.#request(isInterrupted).catch((error: unknown) => {
        logger.error(
          { error },
          'The channels to catch up could not be recorded; that is tried again',
        );
        return false;
      });
      if (!listedAll && isInterrupted) this.#isInterrupted = true;
      failures = listedAll ? 0 : failures + 1;
      const waitMs = listedAll ? HOUR_MS : backoff(failures, RELIST_WAITS);
      await this.#wakeable.wait(waitMs, clock);
    }
  }

  /** Resolves with whether all channels could be listed. */
  async #request(isInterrupted: boolean): Promise<boolean> {
    const { ledger, workspace, notices, clock, logger, findDestination, wake, stopping } =
      this.#context;
    const { team } = workspace.identity;
    const now = clock.now();
    const listed = await workspace.channels(stopping).catch((error: unknown) => {
      if (!stopping.aborted)
        logger.warn({ error }, 'Slack did not list the channels; the linked ones are read');
      return null;
    });
    if (listed !== null) notices.channelsListed(listed);
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
    const begunTs = this.#isListed ? slackTsFrom(clock.wall()) : this.#begunTs;
    await ledger.requestCatchUp({ team, channels, all, begunTs, isInterrupted, now });
    if (listed !== null) this.#isListed = true;
    wake();
    return all;
  }
}

const DAY_MS = 24 * 60 * 60_000;
/** Threads are read that began up to this long before the last reply that was read. */
const THREADS_MS = 30 * DAY_MS;
/** Most that Slack's clock and ours may differ by: with more, Slack's requests are rejected. */
const SKEW_MS = 5 * 60_000;
/** How long Slack may take to deliver an event: a younger share is not missed yet. */
export const DELIVERY_MS = 60_000;

/**
 * Reads a channel's newest page, from its last confirmed message on, and records the files that no
 * event brought. The rest takes more calls of Slack, and so waits until the newest pages of the
 * other channels are read: further pages, and threads, which are read after an interruption and
 * once a day. If the newest page shows that events were missed, that counts as an interruption of all
 * channels. Files from before the bot joined or the channel was linked are offered as a backfill
 * instead. A channel without a destination is only read for whether it is another one's: see
 * moveHere.
 */
export async function catchUp(reading: HeldRow<ChannelRow>, context: EngineContext): Promise<void> {
  const { row, held } = reading;
  const { ledger, clock } = context;
  const readAt = clock.wall();
  const isFiled = (await context.findDestination(row)) !== null;
  let missed = await readMissed(reading, context);
  assertHeld(held, clock);
  const isMoved = await moveHere(row, missed.shares, context);
  if (isMoved) missed = await readMissed(reading, context);
  assertHeld(held, clock);
  // Reading takes minutes, in which the channel may have been linked, relinked or unlinked.
  const destination = isFiled || isMoved ? await context.findDestination(row) : null;
  if (destination && missed.isWhole)
    await recordMissed(reading, { ...missed, destination }, context);
  const { isRest, isWhole, threadsTs } = missed;
  const isOld = threadsTs < slackTs(readAt - DAY_MS);
  const isKnownGap = isRest || missed.isRestDue;
  const isInterrupted = destination !== null && !isKnownGap && missed.shares.length > 0;
  const isNeeded = missed.isRestDue || isInterrupted || isOld || !isWhole;
  const isRestDue = destination !== null && !isRest && isNeeded;
  const readTs = slackTsBefore(readAt);
  await ledger.finishCatchUp(held, {
    confirmedTs: isWhole || !destination ? readTs : null,
    threadsTs: isRest ? readTs : threadsTs,
    read: isRest ? 'all' : isRestDue ? 'newest, rest due' : 'newest',
    isInterrupted,
    now: clock.now(),
  });
}

async function recordMissed(
  { row, held }: HeldRow<ChannelRow>,
  { shares, destination }: Pick<Missed, 'shares'> & { destination: Destination },
  context: EngineContext,
): Promise<void> {
  if (shares.length === 0) return;
  const { ledger, clock, logger, wake } = context;
  const found = { channel: row, reportId: null, shares, destination, now: clock.now() };
  const { files, unrecordable } = await ledger.recordFound(held, found);
  wake();
  for (const { share, error } of unrecordable) await context.notices.ofUnrecorded(share, error);
  const { channel } = row;
  logger.info({ channel, files }, 'Files that no event brought were recorded');
}

// The event of a channel's new identifier may be missed, too. Its messages are then known under the
// old one, which Slack no longer knows.
async function moveHere(
  { team, channel: to }: ChannelRow,
  shares: readonly Share[],
  { ledger, workspace, clock, logger }: EngineContext,
): Promise<boolean> {
  const channel = await ledger.otherChannelOf({ team, channel: to }, shares);
  if (channel === null || (await workspace.isIn(channel))) return false;
  await ledger.moveChannel({ team, channel }, { to, now: clock.now() });
  logger.info({ team, channel, to }, 'A channel got another identifier');
  return true;
}

// A mark far ahead of now was written while our clock ran ahead, and would hide all shares since.
function plausibleMark(ts: string | null, now: number): string | null {
  const isAhead = ts !== null && ts > slackTs(now + SKEW_MS);
  return isAhead ? slackTs(now - DAY_MS) : ts;
}

interface Missed {
  /** The shares that no event brought, oldest first. */
  shares: Share[];
  /** Whether they are all: else there are older pages. */
  isWhole: boolean;
  /** Whether more than the newest page was read. */
  isRest: boolean;
  /** Whether the rest is to be read after the newest page. */
  isRestDue: boolean;
  /** The ledger holds the threads up to here. */
  threadsTs: string;
}

async function readMissed(
  { row, held }: HeldRow<ChannelRow>,
  { workspace, ledger, clock, eventsSince }: EngineContext,
): Promise<Missed> {
  const { channel, catchUpSince } = row;
  const now = clock.wall();
  const marks = await ledger.findHistoryMarks(row);
  const confirmedTs = plausibleMark(marks.confirmedTs, now);
  // The clock of who listed the channels may have been ahead of Slack's.
  const since = plausibleMark(catchUpSince, now);
  const listedTs = since && slackTsBefore(Number(since) * 1_000);
  const start = confirmedTs ?? listedTs ?? slackTs(now);
  const threadsTs = plausibleMark(marks.threadsTs, now) ?? start;
  const isRest = marks.restDue === 'next';
  const oldest = isRest && threadsTs < start ? threadsTs : start;
  const missedBefore = slackTs(Math.max(eventsSince(), now - DELIVERY_MS));
  const threadsSince = slackTs(Math.max(0, Number(threadsTs) * 1000 - THREADS_MS));
  const range = { oldest, signal: held.signal, ...(isRest && { threadsSince }) };
  const { shares, moves, isWhole } = await readPages(workspace.history(channel, range), isRest);
  const joinedTs = laterOf(marks.joinedTs, lastOf(moves, 'join'));
  // In a channel without a confirmed message, only shares after the bot's join were missed; without
  // a known join, the bot was already there at `oldest`.
  const from = confirmedTs ?? joinedTs ?? start;
  const repliesFrom = confirmedTs === null ? from : threadsTs;
  const wasAway = (ts: string) => isInAbsence(ts, moves, marks.joinedTs);
  // The next hour looks again for a message whose event may still come; nothing looks so soon again
  // for a reply, which is recorded at once.
  const isMissed = ({ ts, threadTs }: Share) =>
    threadTs === null
      ? ts > from && ts < missedBefore && !wasAway(ts)
      : ts > repliesFrom && !wasAway(ts);
  const missed = await ledger.unknownFiles(row, shares.filter(isMissed));
  return {
    shares: missed.sort((a, b) => (a.ts < b.ts ? -1 : 1)),
    ...{ isWhole, isRest, isRestDue: marks.restDue !== null || confirmedTs === null },
    threadsTs: repliesFrom,
  };
}

/** Reads all pages, or only the newest one. */
async function readPages(
  pages: AsyncIterable<HistoryPage>,
  all: boolean,
): Promise<Pick<HistoryPage, 'shares' | 'moves'> & { isWhole: boolean }> {
  const shares: Share[] = [];
  const moves: Move[] = [];
  for await (const page of pages) {
    shares.push(...page.shares);
    moves.push(...page.moves);
    if (page.hasMore && !all) return { shares, moves, isWhole: false };
  }
  return { shares, moves, isWhole: true };
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
