import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import { type ErrorTelling, errorObject } from './error-telling.ts';
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
