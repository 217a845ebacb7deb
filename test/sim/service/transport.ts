import { PassThrough } from 'node:stream';
import { AxiosError, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import FormData from 'form-data';
import type { ServiceAdapter } from '../../../src/service/index.ts';
import { never, type SimProcess, unlessAborted } from '../kernel/process.ts';
import type { Rng } from '../kernel/random.ts';
import { describeFault, type ServiceFault, type ServiceFaults } from '../plan/faults.ts';
import type { ServiceModel, ServiceRequest, ServiceResponse } from './service-model.ts';

/** Longer responses are left out of the trace. */
const MAX_SHOWN_LENGTH = 60;

interface ServiceTransportOptions {
  service: ServiceModel;
  faults: ServiceFaults;
  rng: Rng;
  sleep(ms: number): Promise<void>;
  /** Called when one of the app's requests reaches the service. */
  onArrival(process: SimProcess): void;
  trace(text: string): void;
}

/** Carries one process's requests to the service, and applies the faults on the way. */
export function createServiceAdapter(
  process: SimProcess,
  options: ServiceTransportOptions,
): ServiceAdapter {
  return (config) => {
    const canceled = () => new AxiosError('canceled', 'ERR_CANCELED', config);
    const signal = config.signal as AbortSignal | undefined;
    const begin = () => send(process, config, options);
    return process.effect(() => unlessAborted(signal, begin, canceled));
  };
}

async function send(
  process: SimProcess,
  config: InternalAxiosRequestConfig,
  options: ServiceTransportOptions,
): Promise<AxiosResponse> {
  const { service, rng, sleep, trace } = options;
  const url = new URL(config.url ?? '');
  const method = (config.method ?? 'get').toUpperCase();
  const path = url.pathname + url.search;
  const { operation } = service.routeOf({ method, path });
  const fault = options.faults(operation);
  const title = `${process.name} → service ${operation}`;
  if (fault?.kind === 'refused') {
    trace(`${title}: no connection`);
    throw socketError('ECONNREFUSED', 'connect', ' 203.0.113.7:443', config);
  }
  const body = await bodyOf(config.data);
  await sleep(rng.int(5, 40) + (fault?.kind === 'late-arrival' ? fault.ms : 0));
  const request: ServiceRequest = { method, path, headers: headersOf(config), body };
  // The service waits for the rest of the body.
  if (body.length < Number(request.headers['content-length'] ?? 0)) return never();
  if (fault) trace(`${title}: ${describeFault(fault)}`);
  const reset = () => socketError('ECONNRESET', 'read', '', config);
  if (fault?.kind === 'reset-before') throw reset();
  if (fault?.kind === 'silent-before') return never();
  options.onArrival(process);
  if (fault?.kind === 'late-effect') await sleep(fault.ms);
  const response = responseWithoutEffect(fault) ?? (await service.serve(request));
  const shown = response.text.length > MAX_SHOWN_LENGTH ? '' : ` ${response.text}`;
  trace(`${title}: ${response.status}${shown}`);
  if (fault?.kind === 'silent-after') return never();
  if (fault?.kind === 'reset-after') throw reset();
  if (fault?.kind === 'late-response') await sleep(fault.ms);
  await sleep(rng.int(5, 60));
  if (fault?.kind === 'cut-after') throw cutOff(config, response);
  if (fault?.kind === 'stale-list' && operation === 'list')
    return toAxiosResponse(config, service.stale(response, fault.ms));
  return toAxiosResponse(config, altered(response, fault));
}

function responseWithoutEffect(fault: ServiceFault | null): ServiceResponse | null {
  if (fault?.kind === 'page-before') return WEB_PAGE;
  if (fault?.kind === 'error-body-before') return errorBody(fault.code);
  return fault?.kind === 'status-before' ? errorStatus(fault) : null;
}

/** The service may also report a refusal inside a 200; no other response has a message. */
const REFUSAL = /^\{.*"message":/s;

// A refusal by the service itself stays unaltered: nothing was done, and nothing false is said
// about it.
function altered(response: ServiceResponse, fault: ServiceFault | null): ServiceResponse {
  const { status, text } = response;
  if (status >= 400 || REFUSAL.test(text)) return response;
  if (fault?.kind === 'status-after') return errorStatus(fault);
  if (fault?.kind === 'error-body-after') return errorBody(fault.code);
  if (fault?.kind === 'garbled-after')
    return { ...response, text: `${text.slice(0, text.length / 2)}\u0000<` };
  return response;
}

const WEB_PAGE: ServiceResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  text: '<!doctype html><title>Sign in</title>',
};

function errorStatus(fault: { status: number; retryAfter?: number | 'none' }): ServiceResponse {
  const { status, retryAfter = 2 } = fault;
  const wait = status === 429 && retryAfter !== 'none' ? { 'retry-after': String(retryAfter) } : {};
  return jsonResponse(status, { code: status, message: 'injected' }, wait);
}

function errorBody(code: number): ServiceResponse {
  return jsonResponse(200, { success: false, status: false, code, message: 'injected' });
}

function jsonResponse(status: number, value: object, headers = {}): ServiceResponse {
  const text = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json', ...headers }, text };
}

function headersOf(config: InternalAxiosRequestConfig): Record<string, string> {
  const all = Object.entries(config.headers.toJSON());
  return Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

async function bodyOf(data: unknown): Promise<string | Buffer> {
  if (!(data instanceof FormData)) return typeof data === 'string' ? data : '';
  const chunks: Buffer[] = [];
  for await (const chunk of data.pipe(new PassThrough())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function toAxiosResponse(
  config: InternalAxiosRequestConfig,
  { status, headers, text }: ServiceResponse,
): AxiosResponse {
  return { data: text, status, statusText: String(status), headers, config };
}

// The error that Node's sockets and axios produce.
function socketError(
  code: string,
  syscall: string,
  address: string,
  config: InternalAxiosRequestConfig,
): AxiosError {
  const cause = Object.assign(new Error(`${syscall} ${code}${address}`), { code, syscall });
  return AxiosError.from(cause, undefined, config);
}

function cutOff(config: InternalAxiosRequestConfig, response: ServiceResponse): AxiosError {
  const empty = toAxiosResponse(config, { ...response, text: '' });
  return new AxiosError('stream has been aborted', AxiosError.ERR_BAD_RESPONSE, config, {}, empty);
}
