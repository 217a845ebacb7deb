import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { contentError } from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import { errorResponse, isJson, type Json, type SlackResponse } from '../slack-types.ts';
import { type ApiMethods, type ApiRequest, bearerToken } from './api-method.ts';
import { bookmarkMethods } from './bookmarks.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import type { Fault, FaultInjector } from './faults.ts';
import { fileMethods } from './files.ts';
import { historyMethods } from './history.ts';
import { unfurlMethods } from './unfurls.ts';

const MAX_CALLS_KEPT = 20_000;
const HISTORY_PAGE_LIMIT = 1_000;

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

export interface WebApiOptions {
  /** The largest page of history, in messages. Slack gives commercial apps 15. Default 1,000. */
  historyPageLimit?: number;
  /** The scopes in the `x-oauth-scopes` header of every response. Default: no such header. */
  scopes?: readonly string[];
}

export interface WebApi {
  calls: readonly SlackCall[];
  /** Responds to a request for `/api/<method>`. */
  serve(request: IncomingMessage, response: ServerResponse, method: string): Promise<void>;
  /** Executes a call for an account, without checking a token or injecting faults. */
  invoke(request: Omit<ApiRequest, 'userId'>): Promise<SlackResponse>;
}

/** Creates the Web API from the methods implemented here, the emulator's, and injected faults. */
export function createWebApi(
  context: SlackContext,
  faults: FaultInjector,
  { scopes, historyPageLimit = HISTORY_PAGE_LIMIT }: WebApiOptions,
): WebApi {
  const { clock, directory, emulator, keys } = context;
  const calls: SlackCall[] = [];
  const methods: ApiMethods = {
    ...chatMethods(context),
    ...historyMethods(context, historyPageLimit),
    ...conversationMethods(context),
    ...fileMethods(context),
    ...bookmarkMethods(context),
    ...unfurlMethods(context),
    ...context.views.methods,
  };

  const invoke: WebApi['invoke'] = (request) => {
    const userId = directory.userId(request.account);
    const { method } = request;
    const implemented = Object.hasOwn(methods, method) ? methods[method] : undefined;
    return implemented ? implemented({ ...request, userId }) : emulator.forward(request);
  };
  const log = (call: SlackCall) => {
    calls.push(call);
    if (calls.length > MAX_CALLS_KEPT) calls.splice(0, MAX_CALLS_KEPT / 10);
    context.changes.notify('call');
  };
  const respondTo = async (method: string, args: Json, token: string): Promise<SlackResponse> => {
    if (method === 'api.test') return { ok: true, args };
    if (!token) return errorResponse('not_authed');
    if (method === 'apps.connections.open') return openConnection(context, token);
    if (token === keys.appToken) return errorResponse('not_allowed_token_type');
    const error = contentError(args);
    if (error) return errorResponse(error);
    const account = directory.accountOfToken(token);
    return account ? invoke({ method, args, account }) : errorResponse('invalid_auth');
  };

  return {
    calls,
    invoke,
    serve: async (request, response, method) => {
      const { token: inBody, ...args } = await readArgs(request);
      const token = bearerToken(request) || (typeof inBody === 'string' ? inBody : '');
      const call = { method, args, account: directory.accountOfToken(token), at: clock.now() };
      const fault = faults.next(method);
      const granted = scopes?.filter((one) => faults.readsFiles() || one !== 'files:read');
      if (granted) response.setHeader('x-oauth-scopes', granted.join(','));
      const injected = fault && sendFault(fault, response);
      if (injected) return log({ ...call, ok: false, error: injected });
      const result = await respondTo(method, args, token);
      log({ ...call, ok: result.ok, error: result.error });
      if (fault?.kind === 'lost') response.destroy();
      else sendJson(response, 200, result);
    },
  };
}

function openConnection({ keys, socketMode }: SlackContext, token: string): SlackResponse {
  if (token !== keys.appToken) return errorResponse('not_allowed_token_type');
  return { ok: true, url: socketMode.issueAddress() };
}

// Sends the response of a fault that refuses the call and returns its error; else undefined.
function sendFault(fault: Fault, response: ServerResponse): string | undefined {
  if (fault.kind === 'rate_limited') {
    response.setHeader('retry-after', String(fault.retryAfter));
    sendJson(response, 429, errorResponse('ratelimited'));
    return 'ratelimited';
  }
  if (fault.kind === 'status') {
    response.writeHead(fault.status).end();
    return `http_${fault.status}`;
  }
  if (fault.kind !== 'error') return undefined;
  sendJson(response, 200, errorResponse(fault.error));
  return fault.error;
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
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
