import { ERROR_CODES, type ErrorCode } from '../../base/index.ts';
import {
  firstReasons,
  type NamedFile,
  namedFiles,
  refusedLines,
  type SomeRefused,
} from '../kit/file-lines.ts';
import { button, type View } from '../kit/layout.ts';
import { ask, type Line, line, type Operator, say } from '../kit/prose.ts';
import { asSentence, TRY_AGAIN, tryingAgain, whyOf } from '../kit/reasons.ts';
import { agreeing, counted, joined, shownNumber } from '../kit/text.ts';
import { BACKFILL_STOP } from '../link/actions.ts';

/** What keeps a channel's history from being read. */
interface ReadingTrouble {
  /** Slack's error code, such as `missing_scope`; an ErrorCode when Slack gave none. */
  problem: string;
  /** When it is tried again, epoch milliseconds; null during a try and after the last one. */
  nextTryAt: number | null;
}

interface ReportCounts {
  /** All files of the report. */
  total: number;
  filed: number;
  /** The first few filed files; none while the counts still change: each edit would repeat them. */
  files: readonly NamedFile[];
  refused: number;
  /** Files that are waiting or being sent. */
  waiting: number;
  /** The first few refused files of each code, for their reasons. */
  refusals: readonly SomeRefused[];
  operator: Operator;
}

interface BackfillReportInput extends ReportCounts {
  /** The report's ID in the ledger. */
  reportId: number;
  /** Whether the channel's history is still being read: there may be more files. */
  reading: boolean;
  /** Ended early: by Stop, an unlinked channel, or a history that could not be read. */
  stopped: boolean;
  /** What keeps the history from being read; null when nothing does. */
  trouble: ReadingTrouble | null;
  /** Epoch milliseconds. */
  now: number;
}

/** Posted in the channel while the files of its history are filed: one message, edited in place. */
export function backfillReport(input: BackfillReportInput): View {
  const { waiting, stopped, reading, reportId } = input;
  const spoken = 'Stop filing earlier files';
  const stop = button({ action: BACKFILL_STOP, label: 'Stop', spoken, claim: { reportId } });
  const running = reading || (waiting > 0 && !stopped);
  const lines = [[backfillWords(input)], troubleLine(input), filedLine(input), ...reasons(input)];
  return ask(lines, [running ? stop : null]);
}

function troubleLine({ trouble, reading, now }: BackfillReportInput): Line | null {
  if (!trouble) return null;
  const { problem, nextTryAt } = trouble;
  const why = asSentence(isErrorCode(problem) ? whyOf(problem) : slackRefusal(problem));
  const link = { command: '/files link' };
  if (!reading)
    return line`${why} Once that’s fixed, type ${link} and press Save to be asked again.`;
  return line`${why} ${tryingAgain(nextTryAt, now)}`;
}

// Slack's error codes: https://docs.slack.dev/reference/methods/conversations.history
function slackRefusal(problem: string): string {
  if (problem === 'missing_scope')
    return 'Pigeonhole isn’t allowed to read earlier messages until a workspace admin reinstalls it';
  if (/not_in_channel|channel_not_found/.test(problem)) return 'I’m not in this channel';
  return 'Slack doesn’t let me read the earlier messages';
}

function isErrorCode(problem: string): problem is ErrorCode {
  return Object.hasOwn(ERROR_CODES, problem);
}

function backfillWords(input: BackfillReportInput): string {
  const { total, waiting, stopped, reading } = input;
  if (reading) return `Checking earlier messages: ${counted(total, 'file')} found so far.`;
  if (total === 0) return nothingFiled(input);
  const rest = waitingAndLeft(input, stopped ? undefined : 'to go');
  // A Stop that came when all was settled stopped nothing.
  const isOver = rest === null || (waiting === 0 && !stopped);
  const start = isOver ? '' : stopped ? 'Stopped filing ' : 'Filing ';
  return `${start}${counted(total, 'earlier file')}: ${shownCounts(input, rest)}.`;
}

// Files that are being sent are still filed, so they do not count as left in Slack.
function waitingAndLeft(
  { total, filed, refused, waiting }: ReportCounts,
  areWaiting = 'still on the way',
): string | null {
  const left = total - filed - refused - waiting;
  const parts = [
    waiting > 0 ? `${shownNumber(waiting)} ${areWaiting}` : null,
    left > 0 ? `${shownNumber(left)} left in Slack` : null,
  ];
  return joined(parts, ', ') || null;
}

// Only a history that was read to its end shows that there were no earlier files.
function nothingFiled({ stopped, trouble }: BackfillReportInput): string {
  if (trouble) return 'No earlier files were filed.';
  if (stopped) return 'Stopped before any earlier files were filed.';
  return 'There were no earlier files to file.';
}

/** Posted once in the channel about files that were shared while Pigeonhole was away. */
export function catchUpReport(input: ReportCounts): View {
  const { total, filed, files } = input;
  if (total === 1 && filed === 1 && files.length > 0)
    return say(
      line`While I was away, 1 file was shared here, and it’s filed: ${namedFiles(files, filed)}`,
    );
  const shared = `${counted(total, 'file')} ${agreeing(total).were} shared here`;
  const counts = `While I was away, ${shared}: ${shownCounts(input, waitingAndLeft(input))}.`;
  return say([counts], filedLine(input), ...reasons(input));
}

function shownCounts({ filed, refused, refusals }: ReportCounts, rest: string | null): string {
  const [first, ...others] = refusals.filter(isWithdrawn);
  const withdrawn = first ? (first.alike ?? others.length + 1) : 0;
  const failed = refused - withdrawn;
  const parts = [
    filed > 0 || (refused === 0 && rest === null) ? `${shownNumber(filed)} filed` : null,
    failed > 0 ? `${shownNumber(failed)} couldn’t be filed` : null,
    withdrawn > 0 ? `${shownNumber(withdrawn)} deleted in Slack` : null,
    rest,
  ];
  return joined(parts, ', ');
}

// Nobody misses files that were deleted in Slack before they were filed.
function isWithdrawn({ problem }: SomeRefused): boolean {
  return problem === 'SLACK_FILE_DELETED';
}

function filedLine({ files, filed }: ReportCounts): Line | null {
  return files.length > 0 ? line`Filed: ${namedFiles(files, filed)}` : null;
}

/** A report has no button of its own: it counts the files of many messages. */
const RETRY = `${TRY_AGAIN} in /files status`;

function reasons({ refusals, total, operator }: ReportCounts): Line[] {
  const failed = refusals.filter((file) => !isWithdrawn(file));
  return firstReasons(refusedLines(failed, { total, retry: RETRY, operator }));
}
