import type { ErrorCode } from '../../base/index.ts';
import { folderReason, scopeOf } from '../../core/index.ts';
import { type Line, line, type Operator, withOperator } from './prose.ts';
import { service } from './service-name.ts';
import { agreeing, shownText } from './text.ts';

/** What people read about an error code. Words such as `{them}` agree with the number of files. */
interface Reason {
  /** A clause that fits after a colon or before a full stop, with `{service}` for the service. */
  why: string;
  /** The same of a file that waits and is tried again. Default: `why`. */
  whyWaiting?: string;
  /**
   * What to do next, as sentences for `withOperator`, with `{retry}` for the button that tries again
   * and `{relink}` for giving the channel another folder; null when there is nothing to do. Default:
   * RETRY_LATER.
   */
  next?: string | null;
  /** False where trying the same share again cannot help. Default: it can. */
  retry?: false;
  /** Whether the service's own message adds to `why`. Default: it does not. */
  quote?: true;
}

const MAX_NOTE_LENGTH = 80;
// Request lines, content types, Slack IDs and fragments of code tell people nothing.
const TECHNICAL =
  /\b(GET|POST|PUT|DELETE) |\b(application|text|multipart)\/|\bF(?=[A-Z]*\d)[A-Z0-9]{7,}\b|[{}]|<(\/|!|html|body)/;

/**
 * Returns why something failed, as a clause without a full stop; `code` null: nobody knows. When the
 * code does not give the reason, the note (the service's own short message) follows in brackets,
 * unless it is technical. `isSaved`: somebody chose the folder by hand.
 */
export function whyOf(code: ErrorCode | null, note: string | null = null, isSaved = false): string {
  return whyAll({ problem: code, problemNote: note }, { isSaved });
}

// The same, of one or several files.
function whyAll(
  { problem, problemNote: note = null }: Problem,
  { isSaved = false, count = 1 }: Pick<NextStep, 'isSaved' | 'count'>,
): string {
  if (problem === null) return 'I don’t know why';
  const { why, quote = false } = reasonFor(problem, isSaved);
  const said =
    note === null || !quote || TECHNICAL.test(note) ? '' : shownText(note, MAX_NOTE_LENGTH);
  return said === '' ? worded(why, count) : `${worded(why, count)} (${said})`;
}

/** Returns why a file waits to be tried again, as whyOf does. */
export function whyWaiting(code: ErrorCode | null, note: string | null, isSaved: boolean): string {
  const whyNow = code === null ? undefined : reasonFor(code, isSaved).whyWaiting;
  return whyNow ? worded(whyNow, 1) : whyOf(code, note, isSaved);
}

function worded(text: string, count: number): string {
  const words: Record<string, string> = { ...agreeing(count), service: service() };
  return text.replace(/\{(\w+)\}/g, (placeholder, word) => words[word] ?? placeholder);
}

interface Problem {
  problem: ErrorCode | null;
  problemNote?: string | null;
}

export interface NextStep {
  operator: Operator;
  /** What the button says; null where the reader may not press it. Default: Try again. */
  retry?: string | null;
  /** Whether somebody chose the folder by hand. Default: false. */
  isSaved?: boolean;
  /** How the reader gives the channel another folder. Default: with `/files link` in it. */
  relink?: string;
  /** How many files it is about. Default: 1. */
  count?: number;
}

/** Returns what people can do about an error, in a few sentences; null when nothing. */
export function whatNext(
  code: ErrorCode,
  { operator, retry = TRY_AGAIN, isSaved = false, relink = RELINK, count = 1 }: NextStep,
): Line | null {
  if (retry === null && canRetry(code)) return [worded(OTHERS_RETRY, count)];
  const { next = RETRY_LATER } = reasonFor(code, isSaved);
  if (next === null) return null;
  const steps = worded(next, count)
    .replace('{retry}', retry ?? '')
    .replace('{relink}', relink);
  return withOperator(steps, operator);
}

/** Returns both: why something failed, as the end of a sentence, and what people can do about it. */
export function whyAndNext(of: Problem, given: NextStep): Line {
  const next = whatNext(of.problem ?? 'UNEXPECTED', given);
  const why = `${whyAll(of, given)}.`;
  return next === null ? [why] : line`${why} ${next}`;
}

function reasonFor(code: ErrorCode, isSaved: boolean): Reason {
  return isSaved ? { ...REASONS[code], ...OF_SAVED[code] } : REASONS[code];
}

/** Whether trying the share again can help, so that a button for it is worth showing. */
export function canRetry(code: ErrorCode): boolean {
  return REASONS[code].retry ?? true;
}

/** A clause as the beginning of a sentence. */
export function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

const SOON_MS = 10_000;

/** Says when the next try is; `next` null: it is running. Both times in epoch milliseconds. */
export function tryingAgain(next: number | null, now: number): Line {
  if (next === null || next <= now) return ['Trying again now.'];
  if (next - now < SOON_MS) return ['Trying again in a few seconds.'];
  return line`Trying again at ${{ time: next }}.`;
}

interface Mended extends Pick<NextStep, 'operator' | 'count'> {
  /** Whether people who can mend a folder were notified. Default: false. */
  isNotified?: boolean;
}

/** Says who mends what files wait for, and that they are filed then; null if no hold is the reason. */
export function onceMended(
  code: ErrorCode,
  { operator, count = 1, isNotified = false }: Mended,
): Line | null {
  if (scopeOf(code, Number.POSITIVE_INFINITY) !== null) return whatNext(code, { operator, count });
  if (folderReason(code) === null) return null;
  const file = `I’ll file ${agreeing(count).them}`;
  if (isNotified) return [`I’ve told the people who can fix it, and ${file} then.`];
  return [`${file} once that’s fixed, or another folder is chosen.`];
}

/** What the button says that tries files again. */
export const TRY_AGAIN = 'Try again';

const OTHERS_RETRY = 'A full member of this workspace can have {them} tried again.';
const RELINK = 'choose another with /files link';
const RELINK_FIRST = 'First {relink}, then press {retry}.';
const RETRY_OR_SHARE = 'Press {retry}, or share {them} again.';
const CONTACT = 'Contact {operator}.';
const SHARE_OTHERWISE = 'Share {them} again under another name, or zipped.';
const RETRY_LATER = 'Press {retry} later; if that fails, contact {operator}.';
const ASK_FOR_ACCESS = 'Ask for access, then press {retry}.';

/** The words for each code, as they apply to a file to be filed. */
const REASONS: Record<ErrorCode, Reason> = {
  CONFIG_INVALID: {
    why: 'Pigeonhole isn’t set up correctly',
    next: 'Contact {operator}: the settings need a look.',
    retry: false,
  },
  LEDGER_UNAVAILABLE: { why: 'my own records can’t be reached right now' },
  LEDGER_UNRECORDABLE: {
    why: 'I couldn’t record {them}',
    next: 'Please share {them} again; if that fails too, contact {operator}.',
    retry: false,
  },
  LEDGER_CORRUPT: { why: 'my own records are damaged', next: CONTACT, retry: false },
  LEDGER_IN_USE: { why: 'another Pigeonhole is using my records', next: CONTACT, retry: false },
  LEDGER_TOO_NEW: {
    why: 'my records were written by a newer Pigeonhole',
    next: 'Contact {operator}: Pigeonhole needs an update.',
    retry: false,
  },
  LEDGER_TOO_OLD: { why: 'my own records are too old', next: CONTACT, retry: false },
  LEDGER_NEW: { why: 'my own records aren’t the ones I had', next: CONTACT, retry: false },
  LEDGER_CONFLICT: {
    why: '{theyAre} identical to a file I’m still filing',
    next: 'Press {retry} once that one is filed.',
  },
  STOPPED: { why: 'Pigeonhole is being stopped', next: null },
  LEASE_LOST: { why: 'another part of Pigeonhole took over', next: null },
  SERVICE_BAD_REQUEST: {
    why: '{service} couldn’t process {them}',
    next: SHARE_OTHERWISE,
    retry: false,
    quote: true,
  },
  SERVICE_BLOCKED: {
    why: '{service} or a firewall refused {these} {files}',
    whyWaiting: '{service} or a firewall refuses uploads for now',
    next: 'Zip {them} and share {them} again, or ask {operator}.',
  },
  SERVICE_TOO_LARGE: {
    why: '{theyAre} too large for {service}',
    next: 'Share {them} in smaller parts.',
    retry: false,
  },
  SERVICE_WRONG_TYPE: {
    why: '{service} doesn’t take files of this type',
    next: 'Zip {them} and share {them} again.',
    retry: false,
  },
  SERVICE_UNLAWFUL: {
    why: '{service} may not take {these} {files}, for legal reasons',
    next: 'Contact {operator} if that’s a mistake.',
    retry: false,
  },
  SERVICE_FULL: {
    why: '{service}’s account is full or unpaid',
    next: 'Ask {operator} to fix it, and I’ll file {these} then.',
  },
  SERVICE_REFUSED: {
    why: '{service} refused {them}',
    next: 'Press {retry}; if {theyAre} refused again, contact {operator}.',
    quote: true,
  },
  SERVICE_UNAUTHORIZED: {
    why: 'Pigeonhole can’t sign in to {service}',
    next: 'Ask {operator} to fix it, and I’ll file {these} then.',
  },
  SERVICE_FORBIDDEN: {
    why: 'I have no access to this folder',
    next: 'Ask for access or {relink}, then press {retry}.',
  },
  SERVICE_UPLOAD_FORBIDDEN: {
    why: 'I may not upload to this project',
    next: 'Ask for access or {relink}, then press {retry}.',
  },
  SERVICE_NOT_FOUND: { why: 'the project or folder isn’t in {service}', next: RELINK_FIRST },
  SERVICE_RATE_LIMITED: { why: '{service} is busy' },
  SERVICE_LIMIT_AWAY: { why: 'nothing can be sent to {service} now' },
  SERVICE_FAILED: { why: '{service} is down' },
  SERVICE_UNREACHABLE: { why: '{service} can’t be reached' },
  SERVICE_TIMEOUT: { why: '{service} didn’t answer in time' },
  SERVICE_BAD_ANSWER: { why: '{service} sent an answer I can’t read', quote: true },
  SERVICE_STOPPED: { why: 'Pigeonhole is restarting', next: 'Press {retry} in a minute.' },
  SLACK_FILE_UNAVAILABLE: {
    why: 'Slack hasn’t handed {them} over',
    next: 'Press {retry} later, or share {them} again.',
  },
  SLACK_FILE_NOT_FOUND: { why: 'Slack can’t find the {files}', next: RETRY_OR_SHARE },
  SLACK_FILE_EXTERNAL: {
    why: 'Slack has only a link, so there’s nothing to copy',
    next: 'Download {them} and share {those}.',
    retry: false,
  },
  SLACK_FILE_DELETED: { why: 'deleted in Slack', next: null, retry: false },
  SLACK_FILE_HIDDEN: {
    why: '{theyAre} older than your Slack plan shows',
    next: 'Share {them} again.',
  },
  SLACK_FILE_DENIED: {
    why: 'Slack doesn’t let me read the {files}',
    next: 'Share {them} again, or add me where {they} {were} shared.',
  },
  SLACK_FILE_UNAUTHORIZED: {
    why: 'Slack doesn’t let me read files',
    next: 'Ask {operator} to reinstall Pigeonhole in Slack, and I’ll file {these} then.',
  },
  SLACK_FILE_UNSUPPORTED: {
    why: 'canvases and lists can’t be filed',
    next: 'Export {them} and share the export.',
    retry: false,
  },
  SLACK_FILE_EMAIL: {
    why: 'Slack doesn’t hand out emails as files',
    next: 'I file the attachments Slack lists; download and share the rest.',
    retry: false,
  },
  SLACK_FILE_SIGN_IN_PAGE: {
    why: 'Slack sent its sign-in page instead of the {files}',
    next: RETRY_OR_SHARE,
  },
  SLACK_FILE_SIZE_MISMATCH: { why: 'the download from Slack was incomplete', next: RETRY_OR_SHARE },
  SLACK_FILE_FOREIGN_HOST: {
    why: 'Slack gave me a link outside Slack, so I didn’t follow it',
    next: 'Share the {files} again.',
    retry: false,
  },
  SLACK_RATE_LIMITED: { why: 'Slack is busy' },
  SLACK_REFUSED: { why: 'Slack refused my request' },
  SLACK_UNREACHABLE: { why: 'Slack can’t be reached' },
  RECORD_UNSEEN: {
    why: 'I can’t see into this folder; {they} may be there',
    next: ASK_FOR_ACCESS,
  },
  RECORD_SIZE_MISMATCH: {
    why: '{service} recorded another size than I sent',
    next: 'Open {them}, and if {theyAre} damaged, delete {them} and share {them} again.',
    retry: false,
  },
  RECORD_UNCLEAR: {
    why: 'I can’t tell whether {theyAre} already there',
    next: 'Press {retry} to look again, or share {them} under another name.',
  },
  RECORD_UNCONFIRMED: {
    why: 'I sent {them} three times without an answer',
    next: 'Check the folder, and if {they} {are}n’t there, press {retry}.',
  },
  FILED_BEFORE: {
    why: '{they} {were} filed before, and {are}n’t in the folder any more',
    next: 'If {they} should be there, press {retry}.',
  },
  TWIN_UNCONFIRMED: {
    why: 'I’m holding {them} back until I know whether an identical file arrived',
    next: 'Check the folder, then press {retry}.',
  },
  DESTINATION_GONE: { why: 'the folder is gone', next: RELINK_FIRST },
  UNEXPECTED: { why: 'something went wrong in Pigeonhole itself' },
  ATTEMPTS_EXHAUSTED: { why: 'I tried for days without success' },
};

const ANOTHER = 'another with “Save files to a folder” in the message’s menu';
const ACCESS_OR_ANOTHER = 'Ask for access, or choose another with “Save files to a folder”.';

/** Overrides for a folder chosen by hand, where linking the channel elsewhere does not help. */
const OF_SAVED: Partial<Record<ErrorCode, Partial<Reason>>> = {
  SERVICE_FORBIDDEN: { next: ACCESS_OR_ANOTHER },
  SERVICE_UPLOAD_FORBIDDEN: { next: ACCESS_OR_ANOTHER },
  SERVICE_NOT_FOUND: { next: `Choose ${ANOTHER}.` },
  DESTINATION_GONE: { why: 'the folder that was chosen is gone', next: `Choose ${ANOTHER}.` },
};
