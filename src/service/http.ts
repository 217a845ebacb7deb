import { ClientRequest } from 'node:http';
import axios, { type AxiosAdapter, type AxiosInstance, type AxiosResponse } from 'axios';
import FormData from 'form-data';
import { type Clock, codeIn, createAgents, VERSION, wasNotSent } from '../base/index.ts';
import type { Destination } from '../core/index.ts';
import { type Answer, type Operation, refusalError } from './answer.ts';
import { askFirst } from './ask-first.ts';
import { ServiceError } from './errors.ts';
import { entriesOf, isRefusal } from './json.ts';

export type ServiceAdapter = 'http' | AxiosAdapter;

export interface HttpOptions {
  /** The account address, with or without a closing slash: see config.ts for what it may be. */
  accountUrl: string;
  apiKey: string;
  /** The e-mail address that the User-Agent names. */
  contact: string;
  clock: Clock;
  adapter: ServiceAdapter;
}

/** Returns an operation below `{base_url}`; all but POST may be repeated. */
export function apiOperation(method: Operation['method'], path: string): Operation {
  return {
    method,
    path: `/api/v3${path}`,
    name: `${method} ${path}`,
    repeatable: method !== 'POST',
    identifier: method === 'DELETE' ? null : 'id',
  };
}

/** Returns the path of a folder's files, below `{base_url}`. */
export function filesPath({ projectId, folderId }: Destination): string {
  return `/projects/${projectId}/folders/${folderId}/files`;
}

export interface OutgoingRequest {
  operation: Operation;
  /** Default: those for a JSON body or no body. */
  headers?: Record<string, string | number> | undefined;
  body?: string | FormData | undefined;
  /** Whether to ask before sending a form: see askFirst. Default: false. */
  asksFirst?: boolean | undefined;
  /** Aborts the request, which then rejects with the signal's reason. */
  signal: AbortSignal;
}

export type SendRequest = ReturnType<typeof createHttp>;

// Also sent without a body: real accounts refuse requests that lack it (appendix 2, R2).
const JSON_HEADERS = { 'Content-Type': 'application/json' };

/**
 * Returns the function that sends each request to the service, once, with the key and the
 * User-Agent (service interface, section 5). It resolves with a successful response. It rejects
 * with the signal's reason, or with a ServiceError if the connection fails or the response is an
 * error.
 */
export function createHttp(options: HttpOptions) {
  const { accountUrl, apiKey, contact, clock } = options;
  const http = createAxios(options.adapter);
  const account = accountUrl.replace(/\/+$/, '');
  const ownHeaders = { 'X-API-KEY': apiKey, 'User-Agent': `Pigeonhole/${VERSION} (${contact})` };

  return async (request: OutgoingRequest): Promise<Answer> => {
    const { operation, headers = JSON_HEADERS, body, asksFirst = false, signal } = request;
    signal.throwIfAborted();
    const askedAt = clock.now();
    const asking = asksFirst && body instanceof FormData ? askFirst(body, clock) : null;
    const asked = {
      method: operation.method,
      url: account + operation.path,
      headers: { ...headers, ...asking?.expect, ...ownHeaders },
      data: asking?.data ?? body,
      signal,
      ...(asking && { transport: asking.transport }),
    };
    const response = await http.request<string>(asked).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : transportError(operation.name, error);
    });
    endEarly(response);
    const answer = { operation, text: response.data, askedAt, apiKey, ...headOf(response) };
    const error = answerError(answer);
    if (error) throw error;
    return answer;
  };
}

/**
 * Returns the error that a response stands for; null for a success. An error may have any status
 * (service interface, section 7; appendix 2, R3): a 2xx is one if its body looks like one and lacks
 * the operation's identifier.
 */
export function answerError(answer: Answer): ServiceError | null {
  const { operation, status, text } = answer;
  const entries = entriesOf(text);
  const isRefused = entries.every((entry) => isRefusal(entry, operation.identifier));
  const isSuccess = status >= 200 && status < 300 && !(isRefused && entries.length > 0);
  return isSuccess ? null : refusalError(answer);
}

/** The most bytes of a response, after decompression. */
const MAX_ANSWER_BYTES = 32 * 1024 ** 2;

function createAxios(adapter: ServiceAdapter): AxiosInstance {
  return axios.create({
    adapter,
    ...createAgents(),
    // A followed redirect would forward the key, and would buffer each request body in memory.
    maxRedirects: 0,
    maxBodyLength: Number.POSITIVE_INFINITY,
    proxy: false,
    responseType: 'text',
    maxContentLength: MAX_ANSWER_BYTES,
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
    validateStatus: () => true,
  });
}

// After a response that came before the whole body was sent, the service reads no more of it.
function endEarly(response: AxiosResponse): void {
  const request: unknown = response.request;
  if (request instanceof ClientRequest && !request.writableEnded) request.destroy();
}

function headOf({ status, headers }: AxiosResponse) {
  const header = (name: string): string | undefined => {
    const value: unknown = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const serviceTime = Date.parse(header('date') ?? '');
  return {
    status,
    serviceTime: Number.isNaN(serviceTime) ? null : serviceTime,
    retryAfter: header('retry-after'),
    location: header('location'),
    contentType: header('content-type'),
  };
}

// Error codes of axios and Node for a response that is unreadable or too long.
const UNREADABLE = /^(Z_|HPE_|ERR__ERROR_)|maxContentLength/;

/**
 * Returns the error for a request that ended without a readable response. `cause` is a plain error
 * with the message and code only, because axios' own error carries the whole request and its key.
 */
export function transportError(request: string, error: unknown): ServiceError {
  const fault = error instanceof Error ? error : new Error('unknown fault');
  const inner = fault.cause instanceof Error ? fault.cause : fault;
  const code = codeIn(fault) || codeIn(inner);
  const message = fault.message || inner.message || 'no connection';
  const what = code && !message.includes(code) ? `${message} (${code})` : message;
  const details = {
    retry: 'later',
    sent: wasNotSent(error) ? 'no' : 'unknown',
    cause: Object.assign(new Error(message), { code }),
  } as const;
  return UNREADABLE.test(code) || UNREADABLE.test(message)
    ? new ServiceError('SERVICE_BAD_ANSWER', `${request} was answered unreadably: ${what}`, details)
    : new ServiceError('SERVICE_UNREACHABLE', `${request} did not get through: ${what}`, details);
}
