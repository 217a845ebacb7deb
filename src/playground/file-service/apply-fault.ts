import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/index.ts';
import type { BehaviourControl } from './behaviour.ts';
import type { Fault } from './faults.ts';
import type { RateWindow, Slot } from './rate-window.ts';
import {
  errorResponse,
  HttpError,
  type ResponseData,
  reportError,
  sendResponse,
  tooManyRequests,
} from './responses.ts';

/** The request that a fault applies to. */
interface FaultTarget {
  request: IncomingMessage;
  response: ServerResponse;
  slot: Slot;
  /** The response so far; null before the request's effect. */
  result: ResponseData | null;
}

export interface FaultContext {
  clock: Clock;
  window: RateWindow;
  behaviour: BehaviourControl;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
}

const DEFAULT_WAIT_MS = 2000;

const PAGE = {
  headers: { 'Content-Type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Sign in</title><h1>Please sign in</h1>\n',
};

/** Applies a fault to a request. Returns the response to send, or null to go on as without it. */
export async function applyFault(
  fault: Fault,
  target: FaultTarget,
  { clock, window, behaviour, stopping }: FaultContext,
): Promise<ResponseData | 'no-response' | null> {
  const { socket } = target.request;
  switch (fault.mode) {
    case '429':
      target.slot.giveBack();
      window.countRefusal();
      return tooManyRequests(clock.now(), {
        ms: DEFAULT_WAIT_MS,
        retryAfter: 'seconds',
        ...fault,
      });
    case 'slow':
      await clock.sleep(fault.ms ?? DEFAULT_WAIT_MS, stopping);
      return null;
    case 'html':
      return { ...PAGE, status: fault.status ?? 200 };
    case 'status':
      return refusal(fault.status ?? TOO_LARGE, { window, behaviour });
    case 'early':
      await sendEarly(target, errorResponse(fault.status ?? TOO_LARGE, REFUSED));
      return 'no-response';
    case 'hang':
      return 'no-response';
    case 'outage':
      target.slot.giveBack();
      socket.destroy();
      return 'no-response';
    case 'reset-before':
    case 'reset-after':
      socket.resetAndDestroy();
      return 'no-response';
    case 'cut':
      sendHalf(target);
      return 'no-response';
    case 'malformed':
      return target.result && malformed(target.result);
    case 'error-after':
      return errorResponse(500, 'Injected: the service failed after the effect.');
    default:
      return refusal(Number(fault.mode), { window, behaviour });
  }
}

const TOO_LARGE = 413;
const REFUSED = 'Injected: the service does not do it.';

function refusal(
  status: number,
  { window, behaviour }: Pick<FaultContext, 'window' | 'behaviour'>,
): ResponseData {
  const error = new HttpError(status, REFUSED);
  return reportError(error, behaviour.current().errors, window.statistics().total);
}

function sendEarly({ response, request }: FaultTarget, data: ResponseData): Promise<void> {
  response.once('finish', () => request.socket.resetAndDestroy());
  return sendResponse(response, data);
}

function sendHalf({ request, response, result }: FaultTarget): void {
  if (typeof result?.body !== 'string') {
    request.socket.destroy();
    return;
  }
  const bytes = Buffer.from(result.body);
  response.writeHead(result.status, { ...result.headers, 'Content-Length': bytes.length });
  response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
}

/**
 * Returns the response as some accounts send it (service interface, appendix): `byte_size` as a
 * string, `url` as an object, and in a list one malformed record.
 */
function malformed(response: ResponseData): ResponseData {
  if (typeof response.body !== 'string') return response;
  const value: unknown = JSON.parse(response.body);
  if (!Array.isArray(value)) return { ...response, body: JSON.stringify(withOtherTypes(value)) };
  const records = value.map(withOtherTypes);
  records.splice(1, 0, { id: null, name: 7, byte_size: 'unknown' });
  return { ...response, body: JSON.stringify(records) };
}

function withOtherTypes(record: unknown): unknown {
  if (typeof record !== 'object' || record === null || !('byte_size' in record)) return record;
  const url = 'url' in record ? record.url : undefined;
  const asObject = typeof url === 'string' ? { download: url, thumbnail: url, image: null } : url;
  return { ...record, byte_size: String(record.byte_size), url: asObject };
}
