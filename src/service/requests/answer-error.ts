import type { Answer } from './answer.ts';
import { judgeAnswer } from './judge-answer.ts';
import { describeOperation, type Operation, sentUnlessRepeatable } from './operation.ts';
import { parseJson } from './parse-json.ts';
import { readFailure } from './read-failure.ts';
import { parseRetryAfter } from './retry-after.ts';
import { ServiceError, type ServiceErrorCode } from './service-error.ts';

const LONGEST_EXCERPT = 200;
/** Characters that an excerpt is made from. */
const LONGEST_READ = 10_000;
const LONGEST_REFUSAL = 64 * 1024;

/** One request and what came back. */
export interface Exchange {
  operation: Operation;
  answer: Answer;
  /** The key that was sent: kept out of messages, should the answer repeat it. */
  apiKey: string;
}

/**
 * The error that an answer stands for; null for a success: see judgeAnswer. The message names the
 * request and the status and quotes the answer's text, shortened.
 */
export function answerError(exchange: Exchange): ServiceError | null {
  const { operation, answer } = exchange;
  const verdict = judgeAnswer({ operation, status: answer.status, body: bodyOf(answer) });
  if (verdict === null) return null;
  const { code, words, ...rest } = verdict;
  const message = `${describeOperation(operation)} was answered ${answer.status}${detail(exchange)}`;
  return new ServiceError(code, message, {
    ...rest,
    status: answer.status,
    said: saidIn(words, exchange),
    serviceTime: answer.serviceTime ?? undefined,
    retryAfterMs: retryAfterOf(answer, code),
  });
}

// No refusal is longer, and a long list is parsed by who reads it.
function bodyOf({ text }: Answer): unknown {
  if (text.length > LONGEST_REFUSAL || isWebPage(text) || text.trim() === '') return undefined;
  return parseJson(text) ?? text;
}

/** The error for an answer of 2xx whose body is not what the interface says. */
export function badAnswer(exchange: Exchange, problem: string): ServiceError {
  const { operation, answer } = exchange;
  const message = `${describeOperation(operation)} was answered ${answer.status} with ${problem}${detail(exchange)}`;
  return new ServiceError('SERVICE_BAD_ANSWER', message, {
    retry: 'later',
    sent: sentUnlessRepeatable(operation),
    status: answer.status,
    said: saidIn(readFailure(bodyOf(answer)).words, exchange),
  });
}

function saidIn(words: string | null, { apiKey }: Exchange): string | undefined {
  return words === null ? undefined : shorten(words, apiKey);
}

function retryAfterOf(answer: Answer, code: ServiceErrorCode): number | undefined {
  const { status, retryAfter: value, serviceTime, askedAt } = answer;
  const isLimited = code === 'SERVICE_RATE_LIMITED';
  if (!isLimited && (status < 500 || value === undefined)) return undefined;
  return parseRetryAfter({ value, answeredAt: serviceTime ?? askedAt });
}

function detail(exchange: Exchange): string {
  const { status, location } = exchange.answer;
  if (status >= 300 && status < 400) return ` that points to ${originOf(location)}`;
  const text = excerpt(exchange);
  return text ? `: ${text}` : '';
}

// The origin alone: a redirect's address may carry a session.
function originOf(location: string | undefined): string {
  if (!location) return 'nowhere';
  return URL.parse(location)?.origin ?? 'the same host';
}

function excerpt({ answer, apiKey }: Exchange): string {
  return isWebPage(answer.text) ? 'a web page' : shorten(answer.text, apiKey);
}

function isWebPage(text: string): boolean {
  return /^\s*</.test(text);
}

// One line, without the key, should the service repeat it.
function shorten(text: string, apiKey: string): string {
  const folded = withoutKey(text, apiKey)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return folded.length > LONGEST_EXCERPT ? `${folded.slice(0, LONGEST_EXCERPT - 1)}…` : folded;
}

// Of a long text the beginning alone, less what may be the beginning of the key at its end.
function withoutKey(text: string, apiKey: string): string {
  const beginning = text.slice(0, LONGEST_READ).replaceAll(apiKey, '[secret]');
  return text.length > LONGEST_READ ? beginning.slice(0, -apiKey.length) : beginning;
}
