import type { IncomingMessage, ServerResponse } from 'node:http';
import { unlessAborted } from '../../base/index.ts';
import { applyFault, type FaultContext } from './apply-fault.ts';
import { type Fault, type FaultControl, isAfterEffect } from './faults.ts';
import { type AccountContext, readBody } from './request-context.ts';
import type { RequestLog } from './request-log.ts';
import {
  errorResponse,
  HttpError,
  type ResponseData,
  reportError,
  sendResponse,
  tooManyRequests,
} from './responses.ts';
import { API_BASE, findRoute, type Operation, type Route } from './routes.ts';
import { type IncomingRequest, requireHeaders } from './validation.ts';

/** The running service. */
interface ServiceContext extends FaultContext {
  faults: FaultControl;
  requests: RequestLog;
  account: AccountContext;
}

interface RoutedRequest extends IncomingRequest {
  response: ServerResponse;
  route: Route;
}

/**
 * Handles a request from its arrival to its response: the rate limit, injected faults, the operation
 * and the log. Resolves when it is done; never rejects.
 */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  service: ServiceContext,
): Promise<void> {
  const { account, clock, requests } = service;
  const { headers, method = '', url = '' } = request;
  const at = clock.now();
  const path = url.replace(/\?.*$/s, '');
  const accountPath = new URL(account.accountUrl).pathname;
  if (!path.startsWith(`${accountPath}/`))
    return sendResponse(response, errorResponse(404, 'There is no such account.'));
  const pathInAccount = path.slice(accountPath.length);
  const route = findRoute(method, pathInAccount);
  const isUnderBase = pathInAccount.startsWith(API_BASE);
  const person = account.store.personByKey(String(headers['x-api-key'] ?? ''));
  const incoming = { request, response, route, isUnderBase, person };
  const outcome = await respond(incoming, service).catch((error) => failureOf(incoming, error));
  const result = outcome === 'no-response' ? null : outcome;
  requests.add({
    at,
    method,
    path,
    operation: route.operation,
    status: result?.status ?? null,
    userId: person?.id ?? null,
    ms: clock.now() - at,
    ...(result?.errorCode === undefined ? {} : { errorCode: result.errorCode }),
  });
  if (!result) return;
  response.setHeader('Date', new Date(clock.now()).toUTCString());
  await sendResponse(response, result);
}

const READS_JSON: ReadonlySet<Operation> = new Set(['create', 'create-folder', 'rename-folder']);

async function respond(
  incoming: RoutedRequest,
  service: ServiceContext,
): Promise<ResponseData | 'no-response'> {
  const slot = service.window.admit();
  if (!slot) return overLimit(service);
  const { request, response, route } = incoming;
  // Read now, so that a delayed request takes effect even if its caller has disconnected.
  const body = READS_JSON.has(route.operation) ? readBody(request) : null;
  body?.catch(() => undefined);
  const fault = await faultOf(incoming, service, null);
  const isLate = fault !== undefined && isAfterEffect(fault);
  const target = { request, response, slot };
  if (fault && !isLate) {
    const outcome = await applyFault(fault, { ...target, result: null }, service);
    if (outcome) return outcome;
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  const result = await carryOut(incoming, body, service);
  const late = (await faultOf(incoming, service, result)) ?? (isLate ? fault : undefined);
  const outcome = late ? await applyFault(late, { ...target, result }, service) : null;
  return outcome ?? result;
}

function overLimit({ clock, window, behaviour }: ServiceContext): ResponseData {
  const { resetInMs, windowMs } = window.usage();
  const { rateLimitErrors } = behaviour.current();
  if (rateLimitErrors === 'by-status') {
    return tooManyRequests(clock.now(), { ms: resetInMs, retryAfter: 'seconds' });
  }
  const message = `Rate limit exceeded. Please try again in ${windowMs / 1000} seconds.`;
  return reportError(new HttpError(429, message), rateLimitErrors, window.statistics().total);
}

/** Returns the fault to inject: before the request's effect, or after it with its `result`. */
function faultOf(
  { route, person }: RoutedRequest,
  { faults, stopping }: ServiceContext,
  result: ResponseData | null,
): Promise<Fault | undefined> {
  const fault = faults.at({
    operation: route.operation,
    folderId: route.ids.folderId,
    when: result ? 'after' : 'before',
    userId: person?.id ?? null,
    status: result?.status ?? null,
  });
  return unlessAborted(fault, stopping);
}

async function carryOut(
  incoming: RoutedRequest,
  body: Promise<string> | null,
  service: ServiceContext,
): Promise<ResponseData> {
  const { request, route } = incoming;
  const { account } = service;
  const behaviour = service.behaviour.current();
  const turn = service.window.statistics().total;
  try {
    const person = requireHeaders(incoming, behaviour);
    return await route.handler({ ...account, request, body, ids: route.ids, person, behaviour });
  } catch (error) {
    if (error instanceof HttpError) return reportError(error, behaviour.errors, turn);
    throw error;
  }
}

function failureOf(
  { request, response }: RoutedRequest,
  error: unknown,
): ResponseData | 'no-response' {
  if (request.socket.destroyed || response.destroyed) return 'no-response';
  const message = error instanceof Error ? error.message : String(error);
  return errorResponse(500, `The embedded file service itself failed: ${message}`);
}
