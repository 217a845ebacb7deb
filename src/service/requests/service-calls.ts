import type { Clock, Random } from '../../base/index.ts';
import type { CallOptions } from '../client.ts';
import type { Throttle } from '../throttle/throttle.ts';
import type { AccountAddress } from './account-address.ts';
import type { Answer } from './answer.ts';
import { answerError } from './answer-error.ts';
import { startDeadline } from './deadline.ts';
import { describeOperation, type Operation } from './operation.ts';
import type { OutgoingRequest, SendRequest } from './request-sender.ts';
import { ServiceError } from './service-error.ts';
import { withAdmission } from './with-admission.ts';
import { withRetries } from './with-retries.ts';

/** The longest that somebody who waits is kept by one request, in milliseconds. */
const INTERACTIVE_TIMEOUT_MS = 10_000;

/** What each call to the service stands on. */
export interface ServiceParts {
  address: AccountAddress;
  /** The shared key. */
  apiKey: string;
  throttle: Throttle;
  clock: Clock;
  random: Random;
  /** The longest that a request without a file may take, in milliseconds. */
  requestTimeoutMs: number;
  send: SendRequest;
}

/** A request below `{base_url}`. */
export interface JsonRequest {
  operation: Operation;
  apiKey: string;
  /** The body, still to be serialised. */
  json?: unknown;
  signal: AbortSignal | undefined;
  /** The longest that it may take, in milliseconds; default: `requestTimeoutMs`. */
  timeoutMs?: number;
}

/** An operation below `{base_url}`; all but a create may be repeated. */
export function operationOf(method: Operation['method'], path: string): Operation {
  const identifier = method === 'DELETE' ? null : 'id';
  return { method, path, repeatable: method !== 'POST', identifier };
}

/** Sends one request that is admitted already, and resolves with an answer of success. */
export async function sendJson(parts: ServiceParts, request: JsonRequest): Promise<Answer> {
  const { operation, apiKey, json, signal, timeoutMs = parts.requestTimeoutMs } = request;
  const deadline = startDeadline({
    clock: parts.clock,
    signal,
    timeoutMs,
    timedOut: () => timeoutError(operation, 'unknown'),
  });
  const outgoing: OutgoingRequest = {
    operation,
    apiKey,
    url: `${parts.address.baseUrl}${operation.path}`,
    signal: deadline.signal,
    // Without a body too: real accounts refuse requests that lack it (appendix 2, R2).
    headers: { 'Content-Type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  };
  try {
    const answer = await parts.send(outgoing);
    const error = answerError({ operation, answer, apiKey });
    if (error) throw error;
    return answer;
  } finally {
    deadline.stop();
  }
}

/** Sends one request when the throttle admits it; `read` judges the answer. */
export function callOnce<T>(
  parts: ServiceParts,
  call: { operation: Operation; options: CallOptions },
  read: (answer: Answer, apiKey: string) => T | Promise<T>,
): Promise<T> {
  const { operation, options } = call;
  const { lane, queue, signal, apiKey = parts.apiKey } = options;
  const patience = lane === 'interactive' ? INTERACTIVE_TIMEOUT_MS : Number.POSITIVE_INFINITY;
  const timeoutMs = Math.min(patience, parts.requestTimeoutMs);
  const request = { lane, queue, signal, timeoutMs };
  return withAdmission({ throttle: parts.throttle, request }, async (place) => {
    place.sent = true;
    return await read(await sendJson(parts, { operation, apiKey, signal, timeoutMs }), apiKey);
  });
}

/** Repeats an attempt that is harmless to repeat, by the rules of the call's lane. */
export function repeat<T>(
  parts: ServiceParts,
  options: CallOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const { clock, random } = parts;
  return withRetries({ lane: options.lane, signal: options.signal, clock, random }, attempt);
}

/** The error of a request whose time is up. */
export function timeoutError(operation: Operation, sent: 'no' | 'unknown'): ServiceError {
  const message = `${describeOperation(operation)} was not answered in time`;
  return new ServiceError('SERVICE_TIMEOUT', message, { retry: 'later', sent });
}
