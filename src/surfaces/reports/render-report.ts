import { CLOCKS_APART_MS } from '../../core/index.ts';
import { type Ledger, type MessageRow, type Report, readAdded } from '../../ledger/index.ts';
import { nameFolder } from '../../service/index.ts';
import { type KeptMessage, slackTs } from '../../slack/index.ts';
import { filesAdded } from '../announce/added-files.ts';
import type { RenderContext } from '../kit/render-context.ts';
import { backfillReport, catchUpReport } from './report-view.ts';

/** A catch-up is reported when its files are settled, or after this time. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
/** How often a report is counted anew: less often the more files it has, as that reads them all. */
const COUNT_EVERY_MS = { least: 5_000, most: 60_000, aFile: 5 };

/**
 * Shows a channel what became of the shares that a report covers, in one message. A report of files
 * that others added to the channel's folder never changes.
 */
export async function renderReport(
  { about }: MessageRow,
  context: RenderContext,
): Promise<KeptMessage | null> {
  const { ledger, clock } = context;
  const row = await ledger.findReport(about);
  if (!row) return null;
  const place = { channel: row.channel, threadTs: null };
  // `startedAt` is by our clock, which may be ahead of the machine's, and that of Slack's.
  const aheadMs = clock.now() - clock.wall();
  const oldest = slackTs(row.startedAt - aheadMs - CLOCKS_APART_MS);
  const content = await contentOf(row, context);
  return content && { place, oldest, ...content };
}

type Content = Pick<KeptMessage, 'say' | 'dueAt'>;

async function contentOf(row: Report, context: RenderContext): Promise<Content | null> {
  const { ledger, clock, operator } = context;
  const added = readAdded(row);
  if (added) {
    const folder = () => nameFolder(added.folder, row, context);
    return { say: async () => filesAdded({ ...added, folder: await folder() }), dueAt: null };
  }
  const { states, refusals, files } = await ledger.filesOfReport(row.id);
  const reading = readingOf(row);
  const counts = countFiles(states);
  const done = counts.waiting === 0 && !reading.reading;
  const now = clock.now();
  // The member who started a backfill was promised a report in the channel, even of no files.
  if (row.kind === 'catch-up' && counts.total === 0) return null;
  const early = row.kind === 'catch-up' && !done && now < row.startedAt + PATIENCE_MS;
  if (early) return { say: null, dueAt: now + LOOK_EVERY_MS };
  const known = { ...counts, refusals, files: done ? files : [], operator };
  const body =
    row.kind === 'backfill' ? backfillReport({ ...known, ...reading, now }) : catchUpReport(known);
  return { say: async () => body, dueAt: done ? null : now + countAfter(counts.total) };
}

function countAfter(files: number): number {
  const { least, most, aFile } = COUNT_EVERY_MS;
  return Math.min(most, Math.max(least, files * aFile));
}

function readingOf({ id: reportId, stopped, reading, problem, nextTryAt }: Report) {
  const trouble = problem === null ? null : { problem, nextTryAt };
  return { reportId, reading: reading === 1, stopped: stopped === 1, trouble };
}

function countFiles(states: Awaited<ReturnType<Ledger['filesOfReport']>>['states']) {
  const { refused = 0, parked = 0 } = states;
  const filed = (states.filed ?? 0) + (states.created ?? 0) + (states.deleted ?? 0);
  const waiting = (states.recorded ?? 0) + (states.uploaded ?? 0) + (states.creating ?? 0);
  return { total: filed + refused + waiting + parked, filed, refused, waiting };
}
