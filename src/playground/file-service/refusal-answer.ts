import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import { type ErrorTelling, errorObject } from './error-telling.ts';
import type { RetryAfter } from './fault.ts';
import type { Refusal } from './refusal.ts';

/** Returns the response to a refused request; `turn` selects one of several error forms. */
export function refusalAnswer(
  { status, code, message }: Refusal,
  telling: ErrorTelling,
  turn: number,
): Answer {
  if (telling === 'by-status' || code === undefined) return errorAnswer(status, message);
  const form = telling[turn % telling.length] ?? 'all-markers';
  return { ...jsonAnswer(200, errorObject(form, code, message)), errorCode: code };
}

/** Returns a 429 (service interface, section 7). The wait is in whole seconds, at least 1. */
export function tooManyAnswer(
  now: number,
  { ms, retryAfter }: { ms: number; retryAfter: RetryAfter },
): Answer {
  const answer = errorAnswer(429, 'Too many requests: wait before you ask again.');
  if (retryAfter === 'none') return answer;
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const value = retryAfter === 'seconds' ? seconds : httpDate(now + seconds * 1000);
  return { ...answer, headers: { ...answer.headers, 'Retry-After': value } };
}

// HTTP dates have whole seconds: rounded up, so that no caller retries too early.
function httpDate(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toUTCString();
}
