import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../base/index.ts';
import type { Changes } from '../changes.ts';
import type { Directory } from '../directory.ts';
import type { Emulator } from '../emulator.ts';
import type { Keys } from '../keys.ts';
import { isJson, type Json, refusal, type SlackAnswer, stringOf } from '../slack-shapes.ts';
import type { ApiMethods, ApiRequest } from './api-method.ts';
import { refusedContent } from './block-limits.ts';
import type { Fault, FaultSource } from './faults.ts';

const MAX_CALLS_KEPT = 20_000;

/** A Web API call and its outcome. */
export interface SlackCall {
  method: string;
  /** Without the token. */
  args: Json;
  /** The account of the token; absent if the token is unknown. */
  account?: string | undefined;
  /** Milliseconds since the epoch. */
  at: number;
  ok: boolean;
  error?: string | undefined;
}

interface WebApiParts {
  clock: Clock;
  emulator: Emulator;
  keys: Keys;
  directory: Directory;
  faults: FaultSource;
  changes: Changes;
  methods: ApiMethods;
  scopes: readonly string[] | undefined;
  /** Returns the address for `apps.connections.open`. */
  openConnection: () => string;
  stopped: AbortSignal;
}

export interface WebApi {
  calls: readonly SlackCall[];
  /** Responds to a request for `/api/<method>`. */
  serve(request: IncomingMessage, response: ServerResponse, method: string): Promise<void>;
  /** Executes a call for an account, without checking a token or injecting faults. */
  invoke(request: Omit<ApiRequest, 'userId'>): Promise<SlackAnswer>;
}

/** Creates the Web API from the front's own methods, the emulator's, and injected faults. */
export function createWebApi(parts: WebApiParts): WebApi {
  const calls: SlackCall[] = [];

  const invoke: WebApi['invoke'] = (request) => {
    const { method, args, account } = request;
    const userId = parts.directory.userId(account);
    const own = parts.methods[method];
    return own ? own({ ...request, userId }) : parts.emulator.call(method, args, account);
  };
  const log = (call: SlackCall) => {
    calls.push(call);
    if (calls.length > MAX_CALLS_KEPT) calls.splice(0, MAX_CALLS_KEPT / 10);
    parts.changes.tell({ what: 'call', channel: stringOf(call.args, 'channel') });
  };
  const answerTo = async (method: string, args: Json, token: string): Promise<SlackAnswer> => {
    if (method === 'api.test') return { ok: true, args };
    if (!token) return refusal('not_authed');
    if (method === 'apps.connections.open') return connection(parts, token);
    if (token === parts.keys.appToken) return refusal('not_allowed_token_type');
    const refused = refusedContent(args);
    if (refused) return refusal(refused);
    const account = parts.directory.accountOfToken(token);
    return account ? invoke({ method, args, account }) : refusal('invalid_auth');
  };

  return {
    calls,
    invoke,
    serve: async (request, response, method) => {
      const { token: inBody, ...args } = await readArgs(request);
      const token = bearerOf(request) || (typeof inBody === 'string' ? inBody : '');
      const at = parts.clock.now();
      const account = parts.directory.accountOfToken(token);
      const fault = parts.faults.next(method);
      const call = { method, args, account, at };
      if (parts.scopes) response.setHeader('x-oauth-scopes', parts.scopes.join(','));
      if (fault?.kind === 'delay') await parts.clock.sleep(fault.ms, parts.stopped);
      const refused = fault && refusedBy(fault, response);
      if (refused) return log({ ...call, ok: false, error: refused });
      const answer = await answerTo(method, args, token);
      log({ ...call, ok: answer.ok, error: answer.error });
      if (fault?.kind === 'lost') response.destroy();
      else sendJson(response, 200, answer);
    },
  };
}

export function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

function connection({ openConnection, keys }: WebApiParts, token: string): SlackAnswer {
  if (token !== keys.appToken) return refusal('not_allowed_token_type');
  return { ok: true, url: openConnection() };
}

// Sends the response of a refusing fault and returns its error; else returns undefined.
function refusedBy(fault: Fault, response: ServerResponse): string | undefined {
  if (fault.kind === 'rate_limited') {
    response.setHeader('retry-after', String(fault.retryAfter));
    sendJson(response, 429, refusal('ratelimited'));
    return 'ratelimited';
  }
  if (fault.kind === 'status') {
    response.writeHead(fault.status).end();
    return `http_${fault.status}`;
  }
  if (fault.kind !== 'error') return undefined;
  sendJson(response, 200, refusal(fault.error));
  return fault.error;
}

async function readArgs(request: IncomingMessage): Promise<Json> {
  const query = new URL(request.url ?? '/', 'http://slack').searchParams;
  const body = await text(request);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/json')) {
    const value: unknown = JSON.parse(body || '{}');
    return isJson(value) ? value : {};
  }
  return { ...Object.fromEntries(query), ...Object.fromEntries(new URLSearchParams(body)) };
}

function bearerOf(request: IncomingMessage): string {
  return (request.headers.authorization ?? '').replace(/^Bearer\s*/i, '');
}
