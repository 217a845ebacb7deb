import { backfillProgress, catchUpReport, filesAdded } from '../blocks/index.ts';
import { type ClaimedRow, type Ledger, type ReportRow, readAdded } from '../ledger/index.ts';
import { type MessageBody, slackTs } from '../slack/index.ts';
import { CLOCKS_APART_MS } from '../transfers/index.ts';
import type { Handler } from './job.ts';
import { type HeldNotification, keepMessage, messageJobs, nameFolder } from './keep-message.ts';
import type { WorkerContext } from './worker-context.ts';

/** A catch-up is reported when its files are settled, or after this time. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
/** How often a report is counted anew: less often the more files it has, as that reads them all. */
const COUNT_EVERY_MS = { least: 5_000, most: 60_000, aFile: 5 };

export function notifyingReports(context: WorkerContext): Handler {
  return messageJobs('report', notifyReport, context);
}

/**
 * Posts what became of the shares that a report covers: one message in the channel, edited in
 * place. A report of files that others added to its folder is posted once and not edited.
 */
async function notifyReport(
  held: HeldNotification<ClaimedRow<'report'>>,
  context: WorkerContext,
): Promise<number | null> {
  const { row } = held;
  const { ledger, clock, operator } = context;
  const added = readAdded(row);
  if (added) {
    const folder = await nameFolder(added.folder, row, context);
    await keepReport(held, filesAdded({ ...added, folder }), context);
    return null;
  }
  const reading = readingOf(row, await ledger.findReading(row.id));
  const counts = await countFiles(row, context);
  const done = counts.waiting === 0 && !reading.reading;
  const now = clock.now();
  // The member who started a backfill was promised a report in the channel, even of no files.
  if (row.kind === 'catch-up' && counts.total === 0) return null;
  const early = row.kind === 'catch-up' && !done && now < row.startedAt + PATIENCE_MS;
  if (early) return now + LOOK_EVERY_MS;
  const refusals = counts.refused > 0 ? await ledger.refusalsOfReport(row.id) : [];
  const files = done ? await ledger.filedOfReport(row.id) : [];
  const known = { ...counts, refusals, files, operator };
  const body =
    row.kind === 'backfill'
      ? backfillProgress({ ...known, ...reading, now })
      : catchUpReport(known);
  await keepReport(held, body, context);
  return done ? null : now + countAfter(counts.total);
}

function countAfter(files: number): number {
  const { least, most, aFile } = COUNT_EVERY_MS;
  return Math.min(most, Math.max(least, files * aFile));
}

function keepReport(
  held: HeldNotification<ClaimedRow<'report'>>,
  body: MessageBody,
  context: WorkerContext,
): Promise<void> {
  const { id, channel, startedAt } = held.row;
  const place = { channel, threadTs: null };
  const mark = { kind: 'report' as const, id };
  // `startedAt` is by our clock, which may be ahead of Slack's.
  const oldest = slackTs(startedAt - CLOCKS_APART_MS);
  return keepMessage({ ...held, place, mark, oldest }, body, context);
}

function readingOf(
  { id: reportId, stopped }: ReportRow,
  reading: Awaited<ReturnType<Ledger['findReading']>>,
) {
  const { ended = 1, nextTryAt = null, problem = null } = reading ?? {};
  const trouble = problem === null ? null : { problem, nextTryAt };
  return { reportId, reading: ended === 0, stopped: stopped === 1, trouble };
}

async function countFiles({ id }: ReportRow, { ledger }: WorkerContext) {
  const states = await ledger.countReport(id);
  const { refused = 0, parked = 0 } = states;
  const filed = (states.filed ?? 0) + (states.created ?? 0) + (states.deleted ?? 0);
  const waiting = (states.recorded ?? 0) + (states.uploaded ?? 0) + (states.creating ?? 0);
  return { total: filed + refused + waiting + parked, filed, refused, waiting };
}
