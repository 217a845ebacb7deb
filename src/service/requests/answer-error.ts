import type { Answer } from './answer.ts';
import { describeOperation, type Operation, sentUnlessRepeatable } from './operation.ts';
import { parseRetryAfter } from './retry-after.ts';
import { ServiceError, type ServiceErrorCode } from './service-error.ts';

const LONGEST_EXCERPT = 200;
/** Characters that an excerpt is made from. */
const LONGEST_READ = 10_000;

/** One request and what came back. */
export interface Exchange {
  operation: Operation;
  answer: Answer;
  /** The key that was sent: kept out of messages, should the answer repeat it. */
  apiKey: string;
}

interface Verdict {
  code: ServiceErrorCode;
  retry: 'later' | 'never';
  sent: 'no' | 'yes' | 'unknown';
}

/**
 * The error that an answer's status stands for (service interface, section 7); null for 2xx.
 * The message names the request and the status and quotes the answer's text, shortened.
 */
export function answerError(exchange: Exchange): ServiceError | null {
  const { operation, answer } = exchange;
  if (answer.status >= 200 && answer.status < 300) return null;
  const { code, ...verdict } = verdictOn(answer.status, operation);
  const message = `${describeOperation(operation)} was answered ${answer.status}${detail(exchange)}`;
  return new ServiceError(code, message, {
    ...verdict,
    status: answer.status,
    retryAfterMs: retryAfterOf(answer),
  });
}

/** The error for an answer of 2xx whose body is not what the interface says. */
export function badAnswer(exchange: Exchange, problem: string): ServiceError {
  const { operation, answer } = exchange;
  const message = `${describeOperation(operation)} was answered ${answer.status} with ${problem}${detail(exchange)}`;
  return new ServiceError('SERVICE_BAD_ANSWER', message, {
    retry: 'later',
    sent: sentUnlessRepeatable(operation),
    status: answer.status,
  });
}

function verdictOn(status: number, operation: Operation): Verdict {
  switch (status) {
    case 401:
      return { code: 'SERVICE_UNAUTHORIZED', retry: 'never', sent: 'yes' };
    case 403:
      return { code: 'SERVICE_FORBIDDEN', retry: 'never', sent: 'yes' };
    case 404:
      return { code: 'SERVICE_NOT_FOUND', retry: 'never', sent: 'yes' };
    case 408:
      return { code: 'SERVICE_TIMEOUT', retry: 'later', sent: 'unknown' };
    case 429:
      // Refused before anything was done: repeating it is as safe as not having sent it.
      return { code: 'SERVICE_RATE_LIMITED', retry: 'later', sent: 'no' };
  }
  if (status >= 400 && status < 500) {
    return { code: 'SERVICE_BAD_REQUEST', retry: 'never', sent: 'yes' };
  }
  const code = status >= 500 ? 'SERVICE_FAILED' : 'SERVICE_BAD_ANSWER';
  return { code, retry: 'later', sent: sentUnlessRepeatable(operation) };
}

function retryAfterOf(answer: Answer): number | undefined {
  const { status, retryAfter: value, serviceTime, askedAt } = answer;
  if (status !== 429 && (status < 500 || value === undefined)) return undefined;
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
  if (/^\s*</.test(answer.text)) return 'a web page';
  const folded = withoutKey(answer.text, apiKey)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return folded.length > LONGEST_EXCERPT ? `${folded.slice(0, LONGEST_EXCERPT - 1)}…` : folded;
}

// Of a long text the beginning alone, less what may be the beginning of the key at its end.
function withoutKey(text: string, apiKey: string): string {
  const beginning = text.slice(0, LONGEST_READ).replaceAll(apiKey, '[secret]');
  return text.length > LONGEST_READ ? beginning.slice(0, -apiKey.length) : beginning;
}
