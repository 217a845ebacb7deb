import type { ErrorCode } from '../base/index.ts';
import { cleanText } from './clean-text.ts';
import { cut } from './cut.ts';
import { REASONS } from './reasons.ts';

const LONGEST_NOTE = 80;

/**
 * Why something failed, and what to do next, in plain words: `why` is a clause without a full
 * stop, `next` one or two sentences or null. Where the code does not tell the reason, the note (what
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

/** The same for all files of which the same is said. */
export function reasonKey({ problem, problemNote }: Told): string {
  return problem === null ? '' : `${problem} ${reasonFor(problem, problemNote).why}`;
}

interface Told {
  problem: ErrorCode | null;
  problemNote: string | null;
}

/** Whether trying the share again can help, so that a Retry button is worth showing. */
export function canRetry(code: ErrorCode): boolean {
  return REASONS[code].retry;
}

/** A clause as the beginning of a sentence. */
export function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
