import type { ErrorCode } from '../base/index.ts';
import { type Line, line, type Operator, withOperator } from './prose.ts';
import { shownText } from './text.ts';

/** What people read about an error code. */
interface Reason {
  /** A clause that fits after a colon or before a full stop. */
  why: string;
  /** The same of a file that waits and is tried again. Default: `why`. */
  whyWaiting?: string;
  /**
   * What to do next, as sentences for `withOperator`, with `{relink}` for giving the channel another
   * folder; null when there is nothing to do. Default: RETRY_LATER.
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
  if (code === null) return 'I don’t know why';
  const { why, quote = false } = reasonFor(code, isSaved);
  const said =
    note === null || !quote || TECHNICAL.test(note) ? '' : shownText(note, MAX_NOTE_LENGTH);
  return said === '' ? why : `${why} (${said})`;
}

/** Returns why a file waits to be tried again, as whyOf does. */
export function whyWaiting(code: ErrorCode | null, note: string | null, isSaved: boolean): string {
  const whyNow = code === null ? undefined : reasonFor(code, isSaved).whyWaiting;
  return whyNow ?? whyOf(code, note, isSaved);
}

export interface NextStep {
  operator: Operator;
  /** What the button says; null where the reader may not press it. Default: Retry. */
  retry?: string | null;
  /** Whether somebody chose the folder by hand. Default: false. */
  isSaved?: boolean;
  /** How the reader gives the channel another folder. Default: with `/files link` in it. */
  relink?: string;
}

/** Returns what people can do about an error, in a few sentences; null when nothing. */
export function whatNext(
  code: ErrorCode,
  { operator, retry = 'Retry', isSaved = false, relink = RELINK }: NextStep,
): Line | null {
  if (retry === null && canRetry(code)) return [OTHERS_RETRY];
  const { next = RETRY_LATER } = reasonFor(code, isSaved);
  if (next === null) return null;
  return withOperator(next.replaceAll('Retry', retry ?? '').replace('{relink}', relink), operator);
}

/** Returns both: why something failed, as the end of a sentence, and what people can do about it. */
export function whyAndNext(
  { problem, problemNote = null }: { problem: ErrorCode | null; problemNote?: string | null },
  given: NextStep,
): Line {
  const next = whatNext(problem ?? 'UNEXPECTED', given);
  const why = `${whyOf(problem, problemNote, given.isSaved)}.`;
  return next === null ? [why] : line`${why} ${next}`;
}

function reasonFor(code: ErrorCode, isSaved: boolean): Reason {
  return isSaved ? { ...REASONS[code], ...OF_SAVED[code] } : REASONS[code];
}

/** Whether trying the share again can help, so that a Retry button is worth showing. */
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

const OTHERS_RETRY = 'A full member of this workspace can have it tried again.';
const RELINK = 'choose another folder with /files link';
const RELINK_FIRST = 'First {relink}, then press Retry.';
const RETRY_OR_SHARE = 'Press Retry, or share it again.';
const CONTACT = 'Contact {operator}.';
const SHARE_OTHERWISE =
  'Share it again under another name, or zipped. If that fails too, contact {operator}.';
const RETRY_LATER = 'Press Retry later. If it keeps happening, contact {operator}.';

/** The words for each code, as they apply to a file to be filed. */
const REASONS: Record<ErrorCode, Reason> = {
  CONFIG_INVALID: {
    why: 'Pigeonhole isn’t set up correctly',
    next: 'Contact {operator}: the settings need a look.',
    retry: false,
  },
  LEDGER_UNAVAILABLE: { why: 'my own records can’t be reached right now' },
  LEDGER_UNRECORDABLE: {
    why: 'I couldn’t save that in my own records',
    next: 'Try again in a new message. If that fails too, contact {operator}.',
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
    why: 'an identical file is being filed first',
    next: 'Press Retry to try both again. If the other one can’t be filed, the message under it says why.',
  },
  STOPPED: { why: 'Pigeonhole is being stopped', next: null },
  LEASE_LOST: { why: 'another part of Pigeonhole took over', next: null },
  SERVICE_BAD_REQUEST: {
    why: 'the file service couldn’t process it',
    next: SHARE_OTHERWISE,
    retry: false,
    quote: true,
  },
  SERVICE_BLOCKED: {
    why: 'the file service, or a firewall before it, refused this file',
    whyWaiting: 'the file service, or a firewall before it, refuses uploads for now',
    next: 'Zip it and share it again. Or contact {operator} to have it let through, then press Retry.',
  },
  SERVICE_TOO_LARGE: {
    why: 'it’s too large for the file service',
    next: 'Share it in smaller parts.',
    retry: false,
  },
  SERVICE_WRONG_TYPE: {
    why: 'the file service doesn’t take files of this type',
    next: 'Zip it, or save it in another format, and share it again.',
    retry: false,
  },
  SERVICE_UNLAWFUL: {
    why: 'the file service may not take this file, for legal reasons',
    next: 'Contact {operator} if that’s a mistake.',
    retry: false,
  },
  SERVICE_FULL: {
    why: 'the file service’s account is full, or isn’t paid for',
    next: 'Contact {operator}: files wait, and are filed once it takes them again.',
  },
  SERVICE_REFUSED: {
    why: 'the file service refused it',
    next: 'Press Retry. If it’s refused again, contact {operator}.',
    quote: true,
  },
  SERVICE_UNAUTHORIZED: {
    why: 'the file service doesn’t accept the key I use',
    next: 'Contact {operator}: Pigeonhole needs a valid key. Files wait, and are filed once it has one.',
  },
  SERVICE_FORBIDDEN: {
    why: 'the file service doesn’t let me use this folder',
    next: 'Ask for access to the folder, or {relink}. Then press Retry.',
  },
  SERVICE_UPLOAD_FORBIDDEN: {
    why: 'the file service doesn’t let me upload to this project',
    next: 'Ask for access to the project, or {relink}. Then press Retry.',
  },
  SERVICE_NOT_FOUND: { why: 'the project or folder isn’t in the file service', next: RELINK_FIRST },
  SERVICE_RATE_LIMITED: { why: 'the file service is busy' },
  SERVICE_PERSON_LIMIT: {
    why: 'the file service takes only a few requests at a time',
    next: 'Try again in a few seconds.',
  },
  SERVICE_LIMIT_AWAY: { why: 'nothing can be sent to the file service right now' },
  SERVICE_FAILED: { why: 'the file service is down' },
  SERVICE_UNREACHABLE: { why: 'the file service can’t be reached' },
  SERVICE_TIMEOUT: { why: 'the file service didn’t answer in time' },
  SERVICE_BAD_ANSWER: { why: 'the file service sent an answer that I can’t read', quote: true },
  SERVICE_STOPPED: { why: 'Pigeonhole is restarting', next: 'Press Retry in a minute.' },
  SLACK_FILE_UNAVAILABLE: {
    why: 'Slack hasn’t handed it over',
    next: 'Press Retry later, or share it again.',
  },
  SLACK_FILE_NOT_FOUND: { why: 'Slack can’t find the file', next: RETRY_OR_SHARE },
  SLACK_FILE_EXTERNAL: {
    why: 'Slack has only a link, so there’s nothing to copy',
    next: 'Download it, and share it as a file.',
    retry: false,
  },
  SLACK_FILE_DELETED: { why: 'deleted in Slack', next: null, retry: false },
  SLACK_FILE_HIDDEN: {
    why: 'it’s older than your Slack plan shows',
    next: 'Share it again, or press Retry once your plan shows it.',
  },
  SLACK_FILE_DENIED: {
    why: 'Slack doesn’t let me read the file',
    next: 'Share it again. Or add Pigeonhole where it was shared, then press Retry.',
  },
  SLACK_FILE_UNAUTHORIZED: {
    why: 'Slack doesn’t let Pigeonhole read files',
    next: 'Ask {operator} to reinstall Pigeonhole in Slack. Files wait, and are filed then.',
  },
  SLACK_FILE_UNSUPPORTED: {
    why: 'canvases, lists and the like can’t be filed',
    next: 'Export it and share the export.',
    retry: false,
  },
  SLACK_FILE_EMAIL: {
    why: 'Slack doesn’t hand out emails as files',
    next: 'I file the attachments that Slack lists. For the rest, download the email and share it.',
    retry: false,
  },
  SLACK_FILE_SIGN_IN_PAGE: {
    why: 'Slack sent its sign-in page instead of the file',
    next: RETRY_OR_SHARE,
  },
  SLACK_FILE_SIZE_MISMATCH: { why: 'the download from Slack was incomplete', next: RETRY_OR_SHARE },
  SLACK_FILE_FOREIGN_HOST: {
    why: 'Slack gave me a link outside Slack, so I didn’t follow it',
    next: 'Share the file again.',
    retry: false,
  },
  SLACK_RATE_LIMITED: { why: 'Slack is busy' },
  SLACK_REFUSED: { why: 'Slack refused my request' },
  SLACK_UNREACHABLE: { why: 'Slack can’t be reached' },
  RECORD_UNSEEN: {
    why: 'the file service doesn’t let me look in this folder, and the file may already be there',
    next: 'Ask for access to the folder, then press Retry: I’ll look there before filing it again. Or {relink} and press Retry: I’ll file it there, and a copy may stay in the first folder.',
  },
  RECORD_SIZE_MISMATCH: {
    why: 'the file service recorded a different size than I sent',
    next: 'Open the file in its folder. If it’s damaged, delete it and share it again.',
    retry: false,
  },
  RECORD_UNCLEAR: {
    why: 'I can’t tell whether it’s already in the folder',
    next: 'Press Retry and I’ll look again. If you see that it isn’t in the folder, share it again under another name.',
  },
  RECORD_UNCONFIRMED: {
    why: 'I sent it three times, and the file service never said whether it arrived',
    next: 'Check the folder. If it isn’t there, press Retry and I’ll try once more.',
  },
  FILED_BEFORE: {
    why: 'it was filed before, and isn’t in the folder any more',
    next: 'If it should be there after all, press Retry.',
  },
  TWIN_UNCONFIRMED: {
    why: 'an identical file comes first, and I can’t tell whether that one arrived',
    next: 'Check the folder, then press Retry to try both again.',
  },
  DESTINATION_GONE: { why: 'the folder is gone', next: RELINK_FIRST },
  UNEXPECTED: { why: 'something went wrong in Pigeonhole itself' },
  ATTEMPTS_EXHAUSTED: { why: 'I tried for days without success' },
};

const ANOTHER = 'another with “Save files to a folder” in the message’s menu';

/** Overrides for a folder chosen by hand, where linking the channel elsewhere does not help. */
const OF_SAVED: Partial<Record<ErrorCode, Partial<Reason>>> = {
  SERVICE_FORBIDDEN: {
    next: `Ask for access to the folder, then press Retry. Or choose ${ANOTHER}.`,
  },
  SERVICE_UPLOAD_FORBIDDEN: {
    next: `Ask for access to the project, then press Retry. Or choose ${ANOTHER}.`,
  },
  SERVICE_NOT_FOUND: { next: `Choose ${ANOTHER}.` },
  RECORD_UNSEEN: {
    next: `Ask for access to the folder, then press Retry: I’ll look there before filing it again. Or choose ${ANOTHER}: a copy may stay in the first folder.`,
  },
  DESTINATION_GONE: { why: 'the folder that was chosen is gone', next: `Choose ${ANOTHER}.` },
};
