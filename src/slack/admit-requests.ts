import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http';
import { parse } from 'node:querystring';
import { isValidSlackRequest } from '@slack/bolt';
import type { Clock } from '../base/index.ts';

const ADDRESS = '/slack/events';
const FORM = 'application/x-www-form-urlencoded';
const TOLERANCE_MS = 5 * 60_000;
// Why what may be Slack's all the same is refused: in the log, with what to check.
const WRONGLY_SIGNED = 'wrongly signed: if by Slack, check SLACK_SIGNING_SECRET';
const OF_CLOCK = ': if by Slack, check this machine’s clock';
const OLD = `sent more than five minutes ago${OF_CLOCK}`;
const FUTURE = `sent in the future${OF_CLOCK}`;
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
  const isAddressed = request.method === 'POST' && request.url?.split('?')[0] === ADDRESS;
  const early = isAddressed ? byHeaders(request.headers, clock.now()) : { status: 404 };
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

function byHeaders(headers: IncomingHttpHeaders, now: number): Verdict | null {
  const length = Number(headers['content-length']);
  if (length > BODY_LIMITS.bodyBytes) return { status: 413, why: 'too large' };
  const { signature, sentAt } = signatureOf(headers);
  if (signature === undefined)
    return isForm(headers) && length <= UNSIGNED_BYTES ? null : { status: 401, why: 'not signed' };
  // One of the future could be kept, and replayed then. Old ones are refused with their signature:
  // somebody who can forge one can forge its time.
  return sentAt - now <= TOLERANCE_MS ? null : { status: 401, why: FUTURE };
}

function byBody(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { signingSecret, clock }: AdmitOptions,
): Verdict | null {
  const text = body.toString();
  const fields = isForm(headers) ? parse(text) : null;
  if (fields?.['ssl_check'] === '1') return { status: 200 };
  const { signature, sentAt } = signatureOf(headers);
  if (signature === undefined) return { status: 401, why: 'not signed' };
  const stamp = { 'x-slack-signature': signature, 'x-slack-request-timestamp': sentAt / 1000 };
  if (!isValidSlackRequest({ signingSecret, body: text, headers: stamp }))
    return { status: 401, why: clock.now() - sentAt > TOLERANCE_MS ? OLD : WRONGLY_SIGNED };
  const json = fields ? fields['payload'] : text;
  // A command's form is an object by itself.
  if (typeof json === 'string' && !/^\s*\{/.test(json)) return { status: 400, why: 'no object' };
  return null;
}

function signatureOf(headers: IncomingHttpHeaders) {
  const signature = headers['x-slack-signature'];
  const sentAt = Number(headers['x-slack-request-timestamp']) * 1000;
  const isSigned = typeof signature === 'string' && !Number.isNaN(sentAt);
  return { signature: isSigned ? signature : undefined, sentAt };
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

/** Slack's own are small; a message with thousands of files takes some megabytes. */
export const BODY_LIMITS = {
  /** The most bytes that one body may have. */
  bodyBytes: 4 * 1024 ** 2,
  /** The most bytes that all unfinished bodies hold together. */
  allBytes: 32 * 1024 ** 2,
};

/** Why there is no body: it is larger than one may be, made room for others, or never ended. */
export type NoBody = 'too large' | 'crowded out' | 'broken off';

export type BodyReader = ReturnType<typeof createBodyReader>;

/** A body that is still coming in, in one buffer, as a chunk costs more than the byte that may be in it. */
interface Unfinished {
  buffer: Buffer;
  length: number;
  /** In milliseconds since the epoch. */
  since: number;
  end(outcome: NoBody): void;
}

const FIRST_BYTES = 1_024;

/**
 * Reads bodies within limits on what they hold. When all together hold too much, the costliest
 * make room: cost is bytes times the time that they are held, so that a large body that comes quickly
 * outlives many that dribble.
 */
export function createBodyReader(clock: Clock, limits = BODY_LIMITS) {
  const unfinished = new Set<Unfinished>();
  let held = 0;

  const take = (body: Unfinished, chunk: Buffer) => {
    if (body.length + chunk.length > limits.bodyBytes) return body.end('too large');
    held += append(body, chunk);
    while (held > limits.allBytes) costliest(unfinished, clock.now())?.end('crowded out');
  };

  /** Resolves with the body once it is whole; the caller closes the connection of one that is not. */
  const read = (request: IncomingMessage) =>
    new Promise<Buffer | NoBody>((resolve) => {
      const onChunk = (chunk: Buffer) => take(body, chunk);
      const end = (outcome: Buffer | NoBody) => {
        if (!unfinished.delete(body)) return;
        held -= body.buffer.length;
        request.off('data', onChunk);
        resolve(outcome);
      };
      const body: Unfinished = { buffer: Buffer.alloc(0), length: 0, since: clock.now(), end };
      unfinished.add(body);
      request.on('data', onChunk);
      request.once('end', () => end(body.buffer.subarray(0, body.length)));
      for (const event of ['error', 'close']) request.once(event, () => end('broken off'));
    });

  return {
    read,
    /** The bytes that all unfinished bodies hold now. */
    heldBytes: () => held,
  };
}

/** Adds a chunk; returns by how many bytes the buffer grew. */
function append(body: Unfinished, chunk: Buffer): number {
  const { buffer, length } = body;
  body.length += chunk.length;
  if (body.length > buffer.length) {
    body.buffer = Buffer.allocUnsafeSlow(Math.max(body.length, buffer.length * 2, FIRST_BYTES));
    buffer.copy(body.buffer, 0, 0, length);
  }
  chunk.copy(body.buffer, length);
  return body.buffer.length - buffer.length;
}

function costliest(bodies: Iterable<Unfinished>, now: number): Unfinished | undefined {
  const cost = ({ buffer, since }: Unfinished) => buffer.length * (now - since + 1);
  let found: Unfinished | undefined;
  for (const body of bodies) if (!found || cost(body) > cost(found)) found = body;
  return found;
}
