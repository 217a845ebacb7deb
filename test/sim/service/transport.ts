import { PassThrough } from 'node:stream';
import { AxiosError, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import FormData from 'form-data';
import type { ServiceAdapter } from '../../../src/service/index.ts';
import { never, type SimProcess } from '../kernel/process.ts';
import type { Chance } from '../kernel/random.ts';
import { describeFault, type ServiceFault, type ServiceFaults } from '../plan/faults.ts';
import type { ServiceModel, ServiceReply, ServiceRequest } from './service-model.ts';

interface ServiceLine {
  service: ServiceModel;
  faults: ServiceFaults;
  chance: Chance;
  sleep(ms: number): Promise<void>;
  /** Called when one of the app's requests reaches the service. */
  onArrival(process: SimProcess, request: ServiceRequest): void;
  trace(text: string): void;
}

/** Carries one process's requests to the service, and applies the faults on the way. */
export function createServiceAdapter(process: SimProcess, line: ServiceLine): ServiceAdapter {
  return (config) => process.edge(() => unlessAborted(config, () => carry(process, config, line)));
}

async function carry(
  process: SimProcess,
  config: InternalAxiosRequestConfig,
  line: ServiceLine,
): Promise<AxiosResponse> {
  const url = new URL(config.url ?? '');
  const method = (config.method ?? 'get').toUpperCase();
  const path = url.pathname + url.search;
  const { operation } = line.service.routeOf({ method, path });
  const fault = line.faults({ operation, method, path });
  const title = `${process.name} → service ${operation}`;
  if (fault?.kind === 'refused') {
    line.trace(`${title}: no connection`);
    throw refused(config);
  }
  const body = await bodyOf(config.data);
  await line.sleep(line.chance.whole(5, 40) + (fault?.kind === 'late-arrival' ? fault.ms : 0));
  const request = { method, path, headers: headersOf(config), body };
  // The service waits for the rest of the body.
  if (body.length < Number(request.headers['content-length'] ?? 0)) return never();
  const exchange = { config, request, fault, title };
  return exchangeOver(process, exchange, line);
}

interface LineExchange {
  config: InternalAxiosRequestConfig;
  request: ServiceRequest;
  fault: ServiceFault | null;
  title: string;
}

async function exchangeOver(
  process: SimProcess,
  { config, request, fault, title }: LineExchange,
  line: ServiceLine,
): Promise<AxiosResponse> {
  if (fault) line.trace(`${title}: ${describeFault(fault)}`);
  if (fault?.kind === 'reset-before') throw reset(config);
  if (fault?.kind === 'silent-before') return never();
  line.onArrival(process, request);
  if (fault?.kind === 'late-effect') await line.sleep(fault.ms);
  const reply = withoutEffect(fault) ?? (await line.service.serve(request));
  line.trace(`${title}: ${reply.status}${shortened(reply.text)}`);
  if (fault?.kind === 'silent-after') return never();
  if (fault?.kind === 'reset-after') throw reset(config);
  if (fault?.kind === 'late-answer') await line.sleep(fault.ms);
  await line.sleep(line.chance.whole(5, 60));
  if (fault?.kind === 'cut-after') throw cut(config, reply);
  if (fault?.kind === 'stale-list' && title.endsWith(' list'))
    return toResponse(config, line.service.stale(reply, fault.ms));
  return toResponse(config, altered(reply, fault));
}

function withoutEffect(fault: ServiceFault | null): ServiceReply | null {
  if (fault?.kind === 'page-before') return PAGE;
  if (fault?.kind === 'told-before') return toldReply(fault.code);
  return fault?.kind === 'status-before' ? statusReply(fault) : null;
}

/** The service may also report a refusal inside a 200; no other response has a message. */
const REFUSAL = /^\{.*"message":/s;

// A refusal by the service itself stays unaltered: nothing was done, and nothing false is said
// about it.
function altered(reply: ServiceReply, fault: ServiceFault | null): ServiceReply {
  if (reply.status >= 400 || REFUSAL.test(reply.text)) return reply;
  if (fault?.kind === 'status-after') return statusReply(fault);
  if (fault?.kind === 'told-after') return toldReply(fault.code);
  if (fault?.kind === 'garbled-after')
    return { ...reply, text: `${reply.text.slice(0, reply.text.length / 2)}\u0000<` };
  return reply;
}

const PAGE: ServiceReply = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  text: '<!doctype html><title>Sign in</title>',
};

function statusReply(fault: { status: number; retryAfter?: number | 'none' }): ServiceReply {
  const { status, retryAfter = 2 } = fault;
  const wait = status === 429 && retryAfter !== 'none' ? { 'retry-after': String(retryAfter) } : {};
  const headers = { 'content-type': 'application/json', ...wait };
  return { status, headers, text: JSON.stringify({ code: status, message: 'injected' }) };
}

function toldReply(code: number): ServiceReply {
  const value = { success: false, status: false, code, message: 'injected' };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(value),
  };
}

function headersOf(config: InternalAxiosRequestConfig): Record<string, string> {
  const all = Object.entries(config.headers.toJSON());
  return Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

async function bodyOf(data: unknown): Promise<string | Buffer> {
  if (!(data instanceof FormData)) return typeof data === 'string' ? data : '';
  const chunks: Buffer[] = [];
  const sink = data.pipe(new PassThrough());
  for await (const chunk of sink) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function toResponse(config: InternalAxiosRequestConfig, reply: ServiceReply): AxiosResponse {
  const { status, headers, text } = reply;
  return { data: text, status, statusText: String(status), headers, config };
}

// The error that Node's sockets and axios produce.
function refused(config: InternalAxiosRequestConfig): AxiosError {
  const cause = Object.assign(new Error('connect ECONNREFUSED 203.0.113.7:443'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  });
  return AxiosError.from(cause, undefined, config);
}

function reset(config: InternalAxiosRequestConfig): AxiosError {
  const cause = Object.assign(new Error('read ECONNRESET'), {
    code: 'ECONNRESET',
    syscall: 'read',
  });
  return AxiosError.from(cause, undefined, config);
}

function cut(config: InternalAxiosRequestConfig, reply: ServiceReply): AxiosError {
  const response = toResponse(config, { ...reply, text: '' });
  const code = AxiosError.ERR_BAD_RESPONSE;
  return new AxiosError('stream has been aborted', code, config, {}, response);
}

// A request that is aborted before it begins is never sent.
async function unlessAborted<T>(
  config: InternalAxiosRequestConfig,
  begin: () => Promise<T>,
): Promise<T> {
  const { signal } = config;
  const canceled = new AxiosError('canceled', 'ERR_CANCELED', config);
  if (signal?.aborted) throw canceled;
  const work = begin();
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(canceled);
  signal?.addEventListener?.('abort', leave);
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal?.removeEventListener?.('abort', leave);
    work.catch(() => undefined);
  }
}

const MAX_SHOWN_LENGTH = 60;

function shortened(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? '' : ` ${text}`;
}
