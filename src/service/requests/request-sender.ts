import { ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios, { type AxiosAdapter, type AxiosInstance, type AxiosResponse } from 'axios';
import type FormData from 'form-data';
import type { Clock } from '../../base/index.ts';
import type { Answer } from './answer.ts';
import { createReadText } from './answer-text.ts';
import type { Operation } from './operation.ts';
import { transportError } from './transport-error.ts';

// Shorter than servers keep an idle connection (5 s is usual): a request that meets a connection
// just being closed ends with an unknown outcome.
const IDLE_CONNECTION_MS = 4_000;

export interface OutgoingRequest {
  operation: Operation;
  /** An address of the account: the key goes there. */
  url: string;
  apiKey: string;
  headers?: Record<string, string | number> | undefined;
  body?: string | FormData | undefined;
  /** Ends the request; its reason becomes the rejection. */
  signal: AbortSignal;
}

/** What carries requests to the service: `http` is the machine's network. */
export type ServiceAdapter = 'http' | AxiosAdapter;

/** Sends one request, once, and follows no redirect. */
export type SendRequest = (request: OutgoingRequest) => Promise<Answer>;

/**
 * The only place where requests leave for the service: with the key and the User-Agent that names
 * this application (service interface, section 5), over connections of its own, never through a
 * proxy of the environment. Rejects with the signal's reason, or with SERVICE_UNREACHABLE or
 * SERVICE_BAD_ANSWER; an answer of any status resolves.
 */
export function createRequestSender(given: {
  contact: string;
  clock: Clock;
  adapter: ServiceAdapter;
}): SendRequest {
  const http = createHttp(given.adapter);
  const readText = createReadText();
  const userAgent = `Pigeonhole (${given.contact})`;

  return async ({ operation, url, apiKey, headers, body, signal }) => {
    signal.throwIfAborted();
    const askedAt = given.clock.now();
    try {
      const response = await http.request<Readable | string>({
        method: operation.method,
        url,
        headers: { ...headers, 'X-API-KEY': apiKey, 'User-Agent': userAgent },
        data: body,
        signal,
      });
      const { data } = response;
      const text = typeof data === 'string' ? data : await readText(data, signal);
      endEarly(response);
      return toAnswer(response, { text, askedAt });
    } catch (error) {
      throw signal.aborted ? signal.reason : transportError(operation, error);
    }
  };
}

function createHttp(adapter: ServiceAdapter): AxiosInstance {
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

function toAnswer(response: AxiosResponse, read: Pick<Answer, 'text' | 'askedAt'>): Answer {
  const header = (name: string): string | undefined => {
    const value: unknown = response.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const serviceTime = Date.parse(header('date') ?? '');
  return {
    status: response.status,
    ...read,
    serviceTime: Number.isNaN(serviceTime) ? null : serviceTime,
    retryAfter: header('retry-after'),
    location: header('location'),
  };
}
