import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http';
import { parse } from 'node:querystring';
import { isValidSlackRequest } from '@slack/bolt';
import type { Clock } from '../base/index.ts';
import { BODY_LIMITS, type BodyReader } from './body-reader.ts';

const ADDRESS = '/slack/events';
const FORM = 'application/x-www-form-urlencoded';
const TOLERANCE_MS = 5 * 60_000;
/** Slack's check of the connection (`ssl_check=1`) carries a token, and no signature. */
const UNSIGNED_BYTES = 1_024;
/** The rest of a body up to this size is read and dropped; with more, the connection is closed. */
const DROPPED_BYTES = 64 * 1_024;

/**
 * Answers requests to the port. It calls `admitted`, where given, once it knows that a request is
 * Slack's: until that is answered, its connection makes room for no other.
 */
export type PortListener = (
  request: IncomingMessage,
  response: ServerResponse,
  admitted?: () => void,
) => void;

interface AdmitOptions {
  /** Bolt's own, which takes what it is handed for Slack's. */
  receiver: RequestListener;
  signingSecret: string;
  bodies: BodyReader;
  clock: Clock;
  /** Called with why a request was refused, in a few words. */
  onRefused: (why: string) => void;
}

/** An answer before Bolt sees the request; `why` is missing where nothing is wrong with it. */
interface Verdict {
  status: number;
  why?: string;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  admitted?: (() => void) | undefined;
}

/**
 * Lets through to Bolt's receiver what is Slack's: `POST /slack/events`, signed, sent within five
 * minutes of now, and holding an object
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack). Everything else is answered here,
 * mostly before its body is read: Bolt's receiver would end the process at an address that it does
 * not know, or at `null`.
 */
export function admitRequests(options: AdmitOptions): PortListener {
  return (request, response, admitted) => void admit({ request, response, admitted }, options);
}

async function admit(exchange: Exchange, options: AdmitOptions): Promise<void> {
  const { request, response } = exchange;
  const { bodies, clock, onRefused } = options;
  const early = isAddressed(request) ? byHeaders(request.headers, clock.now()) : { status: 404 };
  if (early) return answer(exchange, early, onRefused);
  const body = await bodies.read(request);
  if (body === 'broken off') return;
  if (body === 'crowded out') {
    onRefused(body);
    request.destroy();
    return;
  }
  const verdict =
    body === 'too large' ? { status: 413, why: body } : byBody(request.headers, body, options);
  if (verdict) return answer(exchange, verdict, onRefused);
  exchange.admitted?.();
  options.receiver(Object.assign(request, { rawBody: body }), response);
}

function isAddressed({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url?.split('?')[0] === ADDRESS;
}

function byHeaders(headers: IncomingHttpHeaders, now: number): Verdict | null {
  const length = Number(headers['content-length']);
  if (length > BODY_LIMITS.bodyBytes) return { status: 413, why: 'too large' };
  const { signature, sentAt } = signatureOf(headers);
  if (signature === undefined)
    return isForm(headers) && length <= UNSIGNED_BYTES ? null : { status: 401, why: 'not signed' };
  // One of the future could be kept, and replayed then. Old ones are refused with their signature:
  // somebody who can forge one can forge its time.
  return sentAt - now <= TOLERANCE_MS ? null : { status: 401, why: 'sent in the future' };
}

function byBody(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { signingSecret }: AdmitOptions,
): Verdict | null {
  const text = body.toString();
  const fields = isForm(headers) ? parse(text) : null;
  if (fields?.['ssl_check'] === '1') return { status: 200 };
  const { signature, sentAt } = signatureOf(headers);
  if (signature === undefined) return { status: 401, why: 'not signed' };
  const stamp = { 'x-slack-signature': signature, 'x-slack-request-timestamp': sentAt / 1000 };
  if (!isValidSlackRequest({ signingSecret, body: text, headers: stamp }))
    return { status: 401, why: 'wrongly signed or old' };
  const json = fields ? fields['payload'] : text;
  // A command's form is an object by itself.
  if (typeof json === 'string' && !/^\s*\{/.test(json)) return { status: 400, why: 'no object' };
  return null;
}

function signatureOf(headers: IncomingHttpHeaders) {
  const signature = headers['x-slack-signature'];
  const sentAt = Number(headers['x-slack-request-timestamp']) * 1000;
  return { signature: typeof signature === 'string' ? signature : undefined, sentAt };
}

function isForm(headers: IncomingHttpHeaders): boolean {
  return headers['content-type'] === FORM;
}

function answer(
  { request, response }: Exchange,
  { status, why }: Verdict,
  onRefused: (why: string) => void,
): void {
  if (why !== undefined) onRefused(why);
  const isSmall = Number(request.headers['content-length'] ?? 0) <= DROPPED_BYTES;
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  if (!isSmall || isChunked) response.setHeader('connection', 'close');
  response.writeHead(status).end();
}
