import type { ErrorCode } from '../base/index.ts';
import { cleanText, cut } from './text.ts';

/** What a person reads of an error code. */
interface Reason {
  /** A clause that fits after a colon or before a full stop. */
  why: string;
  /** What to do next, as sentences; null when there is nothing to do. */
  next: string | null;
  /** Whether trying the same share again can help. */
  retry: boolean;
  /** Whether what the service said adds to that. Default: it does not. */
  quote?: true;
}

const LONGEST_NOTE = 80;

/**
 * Why something failed, and what to do next, in plain words: `why` is a clause without a full
 * stop, `next` one or two sentences or null. Where the code does not give the reason, the note (what
 * the service said, short) stands in brackets. Both are plain text.
 */
export function reasonFor(
  code: ErrorCode,
  note: string | null = null,
): { why: string; next: string | null } {
  const { why, next, quote = false } = REASONS[code];
  const said = note === null || !quote ? '' : cut(cleanText(note), LONGEST_NOTE);
  return { why: said === '' ? why : `${why} (${said})`, next };
}

/** Whether trying the share again can help, so that a Retry button is worth showing. */
export function canRetry(code: ErrorCode): boolean {
  return REASONS[code].retry;
}

/** A clause as the beginning of a sentence. */
export function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

const ASK_OPERATOR = 'Tell whoever runs Pigeonhole.';
const RETRY_LATER = 'Press Retry later; if it goes on, tell whoever runs Pigeonhole.';
const SHARE_AGAIN = 'Share it again.';

/** The words for each code, seen from a file that is to be filed. */
const REASONS: Record<ErrorCode, Reason> = {
  CONFIG_INVALID: {
    why: 'Pigeonhole is not set up correctly',
    next: 'Ask whoever runs Pigeonhole to look at its settings.',
    retry: false,
  },
  LEDGER_UNAVAILABLE: {
    why: 'my own records cannot be reached just now',
    next: RETRY_LATER,
    retry: true,
  },
  LEDGER_UNRECORDABLE: {
    why: 'I can’t write down what Slack says of it',
    next: 'Share it again in a new message; if that fails too, tell whoever runs Pigeonhole.',
    retry: false,
  },
  LEDGER_CORRUPT: { why: 'my own records are damaged', next: ASK_OPERATOR, retry: false },
  LEDGER_IN_USE: {
    why: 'another Pigeonhole is using my records',
    next: ASK_OPERATOR,
    retry: false,
  },
  LEDGER_TOO_NEW: {
    why: 'my records were written by a newer Pigeonhole',
    next: 'Ask whoever runs Pigeonhole to update it.',
    retry: false,
  },
  LEDGER_CONFLICT: {
    why: 'another file of the same name and size is to arrive in the same folder first',
    next: 'Press Retry: the other is tried again too. If that one is refused, see what its own line says.',
    retry: true,
  },
  STOPPED: { why: 'Pigeonhole is being stopped', next: null, retry: true },
  LEASE_LOST: { why: 'another part of Pigeonhole took over', next: null, retry: true },
  SERVICE_BAD_REQUEST: {
    why: 'the file service did not accept it',
    next: 'Rename the file and share it again. If that fails too, tell whoever runs Pigeonhole.',
    retry: false,
    quote: true,
  },
  SERVICE_REFUSED: {
    why: 'the file service refused it',
    next: 'Press Retry. If it’s refused again, tell whoever runs Pigeonhole.',
    retry: true,
    quote: true,
  },
  SERVICE_UNAUTHORIZED: {
    why: 'the file service doesn’t accept the key I use',
    next: 'The person who runs Pigeonhole needs to put in a valid key. Files wait and are filed once it works.',
    retry: true,
  },
  SERVICE_FORBIDDEN: {
    why: 'the file service does not let me use this folder',
    next: 'Ask for access to the folder, or link this channel to another with /files link; then press Retry.',
    retry: true,
  },
  SERVICE_NOT_FOUND: {
    why: 'the project or folder is not in the file service',
    next: 'Link this channel to another folder with /files link, then press Retry.',
    retry: true,
  },
  SERVICE_RATE_LIMITED: {
    why: 'the file service is busy and asks to wait',
    next: RETRY_LATER,
    retry: true,
  },
  SERVICE_SHARE_USED: {
    why: 'you’ve asked for a lot in the last few seconds, and others want their turn too',
    next: 'Try again in a few seconds.',
    retry: true,
  },
  SERVICE_FAILED: { why: 'the file service is down', next: RETRY_LATER, retry: true },
  SERVICE_UNREACHABLE: {
    why: 'the file service cannot be reached',
    next: RETRY_LATER,
    retry: true,
  },
  SERVICE_TIMEOUT: {
    why: 'the file service did not answer in time',
    next: RETRY_LATER,
    retry: true,
  },
  SERVICE_BAD_ANSWER: {
    why: 'the file service gave an answer that I cannot read',
    next: RETRY_LATER,
    retry: true,
    quote: true,
  },
  SERVICE_STOPPED: {
    why: 'Pigeonhole is restarting',
    next: 'Press Retry in a minute.',
    retry: true,
  },
  SLACK_FILE_UNAVAILABLE: {
    why: 'Slack does not hand the file out at present',
    next: 'Press Retry later, or share it again.',
    retry: true,
  },
  SLACK_FILE_NOT_FOUND: {
    why: 'Slack does not know the file',
    next: 'Press Retry, or share it again.',
    retry: true,
  },
  SLACK_FILE_EXTERNAL: {
    why: 'it is a link to a file outside Slack, so there is nothing to copy',
    next: 'To file it, download it and share it here as a file.',
    retry: false,
  },
  SLACK_FILE_DELETED: {
    why: 'the file was deleted in Slack',
    next: 'To file it, share it again.',
    retry: false,
  },
  SLACK_FILE_HIDDEN: {
    why: 'Slack hides the file, because it is older than your Slack plan shows',
    next: 'To file it, share it again.',
    retry: false,
  },
  SLACK_FILE_DENIED: {
    why: 'Slack does not let me read the file',
    next: 'Check that Pigeonhole is a member of this channel, then press Retry. If that fails, a workspace admin should install Pigeonhole again.',
    retry: true,
  },
  SLACK_FILE_UNSUPPORTED: {
    why: 'it is a canvas, a list or the like, which Slack does not hand out as a file',
    next: 'To file it, export it and share the exported file.',
    retry: false,
  },
  SLACK_FILE_SIGN_IN_PAGE: {
    why: 'Slack sent its sign-in page in place of the file',
    next: 'A workspace admin should install Pigeonhole again; then press Retry.',
    retry: true,
  },
  SLACK_FILE_SIZE_MISMATCH: {
    why: 'what Slack sent is not as long as the file should be',
    next: 'Press Retry, or share it again.',
    retry: true,
  },
  SLACK_FILE_FOREIGN_HOST: {
    why: 'Slack points to an address that is not one of its file hosts, and I do not follow it',
    next: `${SHARE_AGAIN} If it happens again, tell whoever runs Pigeonhole.`,
    retry: false,
  },
  SLACK_RATE_LIMITED: { why: 'Slack is busy and asks me to wait', next: RETRY_LATER, retry: true },
  SLACK_REFUSED: { why: 'Slack refused what I asked of it', next: RETRY_LATER, retry: true },
  SLACK_UNREACHABLE: { why: 'Slack cannot be reached', next: RETRY_LATER, retry: true },
  RECORD_UNSEEN: {
    why: 'the file service does not let me look into this folder, where it may be already',
    next: 'Ask for access to the folder, then press Retry: I look before I file. Or link this channel to another with /files link and press Retry: it is filed there, and a copy may be left in the first folder.',
    retry: true,
  },
  RECORD_SIZE_MISMATCH: {
    why: 'the file service recorded another size than I sent',
    next: 'Open the file in its folder; if it is damaged, delete it and share it again.',
    retry: false,
  },
  RECORD_UNCLEAR: {
    why: 'I cannot tell whether it is in the folder already',
    next: 'Look into the folder. If it is not there, share it again under another name.',
    retry: true,
  },
  RECORD_UNCONFIRMED: {
    why: 'I sent it three times, and the file service never said whether it arrived',
    next: 'Check the folder. If it isn’t there, press Retry and I’ll try once more.',
    retry: true,
  },
  DESTINATION_GONE: {
    why: 'the folder that this channel was linked to is gone',
    next: 'Link the channel to another folder with /files link, then press Retry.',
    retry: true,
  },
  UNEXPECTED: { why: 'something went wrong in Pigeonhole itself', next: RETRY_LATER, retry: true },
  ATTEMPTS_EXHAUSTED: { why: 'I tried for days without success', next: RETRY_LATER, retry: true },
};
