import { ERROR_CODES, type ErrorCode } from '../base/index.ts';
import { cleanText } from './clean-text.ts';
import { cut } from './cut.ts';
import type { Line } from './prose.ts';
import { asSentence } from './reason-for.ts';
import { REASONS } from './reasons.ts';

const LONGEST_WORD = 60;

/** What keeps a channel's history from being read. */
export interface ReadingTrouble {
  /** Slack's word for its refusal, as `missing_scope`; an ErrorCode where Slack gave none. */
  problem: string;
  /** When it is tried again; null while it is being tried, and once it is given up. */
  nextTryAt: number | null;
}

/** Said of a reading that goes on. */
export function readingHeldUp({ problem, nextTryAt }: ReadingTrouble): Line {
  const keepTrying = `${why(problem)} I keep trying`;
  return nextTryAt === null
    ? [`${keepTrying}.`]
    : [`${keepTrying}; next try `, { time: nextTryAt }, '.'];
}

/** Said of a reading that was given up. */
export function readingGivenUp({ problem }: ReadingTrouble): Line {
  const link = { command: '/files link <project>/<folder>' };
  return [`${why(problem)} When that is mended, type `, link, ' to be asked again.'];
}

function why(problem: string): string {
  if (isErrorCode(problem)) return asSentence(REASONS[problem].why);
  return `Slack does not let me read on (${cut(cleanText(problem), LONGEST_WORD)}).`;
}

function isErrorCode(problem: string): problem is ErrorCode {
  return Object.hasOwn(ERROR_CODES, problem);
}
