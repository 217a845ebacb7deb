import { ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios, { type AxiosAdapter, type AxiosInstance, type AxiosResponse } from 'axios';
import type FormData from 'form-data';
import type { Clock } from '../base/index.ts';
import { type Answer, answerError } from './answer-error.ts';
import { createReadText } from './answer-text.ts';
import type { Operation } from './operation.ts';
import { transportError } from './transport-error.ts';

// Shorter than servers keep an idle connection (5 s is usual): a request that meets a connection
// just being closed ends with an unknown outcome.
const IDLE_CONNECTION_MS = 4_000;
// Without a body too: real accounts refuse requests that lack it (appendix 2, R2).
const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** What carries requests to the service: `http` is the machine's network. */
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

export interface OutgoingRequest {
  operation: Operation;
  /** Default: of a request with a body of JSON, or without a body. */
  headers?: Record<string, string | number> | undefined;
  body?: string | FormData | undefined;
  /** Ends the request; its reason becomes the rejection. */
  signal: AbortSignal;
}

/**
 * Sends one request, once, and follows no redirect. Resolves with an answer of success; rejects with
 * the signal's reason, or with the ServiceError of a connection that failed or of an answer that is
 * an error.
 */
export type SendRequest = (request: OutgoingRequest) => Promise<Answer>;

/**
 * The only place where requests leave for the service: with the key and the User-Agent that names
 * this application (service interface, section 5), over connections of its own, never through a
 * proxy of the environment.
 */
export function createHttp({
  accountUrl,
  apiKey,
  contact,
  clock,
  adapter,
}: HttpOptions): SendRequest {
  const http = createAxios(adapter);
  const readText = createReadText();
  const account = accountUrl.replace(/\/+$/, '');
  const standing = { 'X-API-KEY': apiKey, 'User-Agent': `Pigeonhole (${contact})` };

  async function exchange({
    operation,
    headers = JSON_HEADERS,
    body,
    signal,
  }: OutgoingRequest): Promise<Answer> {
    const askedAt = clock.now();
    const response = await http.request<Readable | string>({
      method: operation.method,
      url: `${account}${operation.root}${operation.path}`,
      headers: { ...headers, ...standing },
      data: body,
      signal,
    });
    const { data } = response;
    const text = typeof data === 'string' ? data : await readText(data, signal);
    endEarly(response);
    return { operation, text, askedAt, apiKey, ...headOf(response) };
  }

  return async (request) => {
    const { operation, signal } = request;
    signal.throwIfAborted();
    const answer = await exchange(request).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : transportError(operation, error);
    });
    const error = answerError(answer);
    if (error) throw error;
    return answer;
  };
}

function createAxios(adapter: ServiceAdapter): AxiosInstance {
  const connections = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
  return axios.create({
    adapter,
    httpAgent: new HttpAgent(connections),
    httpsAgent: new HttpsAgent(connections),
    // Redirects would take the key along; following them also keeps each body in memory.
    maxRedirects: 0,
    maxBodyLength: Number.POSITIVE_INFINITY,
    proxy: false,
    responseType: 'stream',
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
    validateStatus: () => true,
  });
}

// An answer that came before the whole body had left: nobody reads the rest.
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
  };
}
