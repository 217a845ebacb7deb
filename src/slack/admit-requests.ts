import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http';
import { parse } from 'node:querystring';
import { isValidSlackRequest } from '@slack/bolt';
import { type Clock, collect, inTime } from '../base/index.ts';

const ADDRESS = '/slack/events';
const FORM = 'application/x-www-form-urlencoded';
const TOLERANCE_MS = 5 * 60_000;
// Refusals that may hit a real request from Slack: the log says what to check.
const WRONGLY_SIGNED = 'wrongly signed: if by Slack, check SLACK_SIGNING_SECRET';
const OF_CLOCK = ': if by Slack, check this machine’s clock';
const OLD = `sent more than five minutes ago${OF_CLOCK}`;
const FUTURE = `sent in the future${OF_CLOCK}`;
/** Slack's connection check (`ssl_check=1`) carries a token and no signature. */
const UNSIGNED_BYTES = 1_024;
/** The rest of a smaller body is read and dropped; for a larger one, the connection is closed. */
const DROPPED_BYTES = 64 * 1_024;

/**
 * Answers requests to the port. Calls `admitted`, if given, once it knows that a request comes from
 * Slack: its connection is then not closed for others until the response.
 */
export type PortListener = (
  request: IncomingMessage,
  response: ServerResponse,
  admitted?: () => void,
) => void;

/** Slack's signature of a request, and when it was made, in epoch milliseconds. */
interface Signed {
  signature: string;
  sentAt: number;
}

/** Resolves with whether a signature has not been asked about before; remembers it for minutes. */
export type IsFirst = (signed: Signed) => Promise<boolean>;

interface AdmitOptions {
  /** Bolt's listener, which trusts that every request comes from Slack. */
  receiver: RequestListener;
  signingSecret: string;
  bodies: BodyReader;
  clock: Clock;
  /** Called once for each command and interaction that is about to be acted upon. */
  isFirst: IsFirst;
  /** Called for each refused request with the reason, in a few words. */
  onRefused: (why: string) => void;
}

/** A response sent without Bolt; `why` is the reason of a refusal, absent if nothing is wrong. */
interface Verdict {
  status: number;
  why?: string;
}

const TOO_LARGE: Verdict = { status: 413, why: 'too large' };
const NOT_SIGNED: Verdict = { status: 401, why: 'not signed' };
/** Nothing is said to whoever sent it: it may also be a proxy that tried twice. */
const REPLAY: Verdict = { status: 200, why: 'sent again' };

/**
 * Passes Slack's requests to Bolt's receiver: `POST /slack/events`, signed, sent within five minutes
 * of now, with an object as the body
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack). Answers all others itself,
 * mostly before reading the body: an unknown path, or the body `null`, would make Bolt's receiver end
 * the process.
 */
export function admitRequests(options: AdmitOptions): PortListener {
  const { receiver, bodies, clock, onRefused } = options;
  return async (request, response, admitted) => {
    const answer = ({ status, why }: Verdict) => {
      if (why !== undefined) onRefused(why);
      response.writeHead(status, isDroppable(request.headers) ? {} : { connection: 'close' }).end();
    };
    const isAddressed = request.method === 'POST' && request.url?.split('?')[0] === ADDRESS;
    const early = isAddressed ? byHeaders(request.headers, clock.wall()) : { status: 404 };
    if (early) return answer(early);
    const body = await bodies.read(request);
    if (body === 'broken off') return;
    if (body === 'crowded out' || body === 'in tiny pieces') return onRefused(body);
    if (body === 'too large') return answer(TOO_LARGE);
    const verdict = byBody(request.headers, body, options);
    if (verdict) return answer(verdict);
    admitted?.();
    if (await isReplay(request.headers, body, options)) return answer(REPLAY);
    receiver(Object.assign(request, { rawBody: body }), response);
  };
}

function byHeaders(headers: IncomingHttpHeaders, now: number): Verdict | null {
  const length = Number(headers['content-length']);
  if (length > BODY_LIMITS.bodyBytes) return TOO_LARGE;
  const signed = signatureOf(headers);
  if (!signed) return isForm(headers) && length <= UNSIGNED_BYTES ? null : NOT_SIGNED;
  // A request with a future time could be stored and replayed later. An old one is refused with its
  // signature check, because whoever can forge a signature can forge the time.
  return signed.sentAt - now <= TOLERANCE_MS ? null : { status: 401, why: FUTURE };
}

function byBody(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { signingSecret, clock }: AdmitOptions,
): Verdict | null {
  const text = body.toString();
  const fields = isForm(headers) ? parse(text) : null;
  if (fields?.['ssl_check'] === '1') return { status: 200 };
  const signed = signatureOf(headers);
  if (!signed) return NOT_SIGNED;
  const { signature, sentAt } = signed;
  const stamp = { 'x-slack-signature': signature, 'x-slack-request-timestamp': sentAt / 1000 };
  if (!isValidSlackRequest({ signingSecret, body: text, headers: stamp }))
    return { status: 401, why: clock.wall() - sentAt > TOLERANCE_MS ? OLD : WRONGLY_SIGNED };
  const json = fields ? fields['payload'] : text;
  // A command's form always parses to an object.
  if (typeof json === 'string' && !/^\s*\{/.test(json)) return { status: 400, why: 'no object' };
  return null;
}

/** Leaves enough of the three seconds in which Slack wants an answer. */
const FIRST_WITHIN_MS = 1_000;

/**
 * Whether a command or an interaction came before: a signature is valid for minutes, and covers the
 * body with its one-time `trigger_id`. Slack sends none of them twice; it does so with events, which
 * the ledger knows by their messages. A search in a form changes nothing, and two in one second may
 * be equal.
 */
async function isReplay(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { isFirst, clock }: AdmitOptions,
): Promise<boolean> {
  const signed = signatureOf(headers);
  if (!signed || !isForm(headers) || isSearch(parse(body.toString())['payload'])) return false;
  // While the ledger does not answer, people get their answers; what a request could change is in
  // the ledger, too.
  const first = isFirst(signed).catch(() => true);
  return !(await inTime(first, { clock, ms: FIRST_WITHIN_MS, late: true }));
}

function isSearch(payload: unknown): boolean {
  try {
    return JSON.parse(String(payload)).type === 'block_suggestion';
  } catch {
    return false;
  }
}

function signatureOf(headers: IncomingHttpHeaders): Signed | null {
  const signature = headers['x-slack-signature'];
  const sentAt = Number(headers['x-slack-request-timestamp']) * 1000;
  // Exactly as Slack writes it: whoever could spell one signature in two ways could send it twice.
  const isSignature = typeof signature === 'string' && /^v0=[0-9a-f]{64}$/.test(signature);
  return isSignature && !Number.isNaN(sentAt) ? { signature, sentAt } : null;
}

function isForm(headers: IncomingHttpHeaders): boolean {
  return headers['content-type'] === FORM;
}

function isDroppable(headers: IncomingHttpHeaders): boolean {
  const isSmall = Number(headers['content-length'] ?? 0) <= DROPPED_BYTES;
  return isSmall && headers['transfer-encoding'] === undefined;
}

/** Slack's bodies are small; a message with thousands of files takes some megabytes. */
export const BODY_LIMITS = {
  /** The largest body, in bytes. */
  bodyBytes: 4 * 1024 ** 2,
  /**
   * The most pieces that a body may come in, beside one for each 512 bytes, less than a network
   * packet. Node takes some microseconds for each, and a piece may be one byte.
   */
  smallPieces: 1_024,
  /** The most that all unfinished bodies may hold together, in bytes. */
  allBytes: 6 * 1024 ** 2,
};

/**
 * Why there is no body: too large, in too many pieces, dropped to make room for others, or never
 * complete.
 */
export type NoBody = 'too large' | 'in tiny pieces' | 'crowded out' | 'broken off';

type BodyReader = ReturnType<typeof createBodyReader>;

/** A body still being received, in one buffer: a list of tiny chunks would cost more memory. */
interface Unfinished {
  buffer: Buffer;
  length: number;
  pieces: number;
  /** In milliseconds since the epoch. */
  since: number;
  end(outcome: NoBody): void;
}

const FIRST_BYTES = 1_024;
const PACKET_BYTES = 512;
/** About what Node allocates for each piece, however small. */
const PIECE_BYTES = 512;

/**
 * Reads bodies within limits on the memory they hold. When all together hold too much, the costliest
 * are dropped: cost is bytes times the time they are held, so that a large, quick body outlives many
 * slow ones.
 */
export function createBodyReader(clock: Clock, limits = BODY_LIMITS) {
  const unfinished = new Set<Unfinished>();
  let held = 0;

  const take = (body: Unfinished, chunk: Buffer) => {
    body.pieces += 1;
    if (body.length + chunk.length > limits.bodyBytes) return body.end('too large');
    if (body.pieces > limits.smallPieces + body.length / PACKET_BYTES)
      return body.end('in tiny pieces');
    held += append(body, chunk, limits.bodyBytes);
    while (held > limits.allBytes) costliest(unfinished, clock.now())?.end('crowded out');
  };

  /**
   * Resolves with the body, or with why there is none. Then the connection is closed, or for one
   * that is too large, the caller closes it with its answer.
   */
  const read = (request: IncomingMessage) =>
    new Promise<Buffer | NoBody>((resolve) => {
      const onChunk = (chunk: Buffer) => take(body, chunk);
      const end = (outcome: Buffer | NoBody) => {
        if (!unfinished.delete(body)) return;
        held -= body.buffer.length;
        request.off('data', onChunk);
        // At once: Node may have read more pieces, and then drops them.
        if (outcome === 'crowded out' || outcome === 'in tiny pieces') request.destroy();
        if (!Buffer.isBuffer(outcome)) {
          free(body.buffer);
          collect(body.length + body.pieces * PIECE_BYTES);
        }
        resolve(outcome);
      };
      const nothing = { buffer: Buffer.allocUnsafeSlow(0), length: 0, pieces: 0 };
      const body: Unfinished = { ...nothing, since: clock.now(), end };
      unfinished.add(body);
      request.on('data', onChunk);
      request.once('end', () => end(body.buffer.subarray(0, body.length)));
      for (const event of ['error', 'close']) request.once(event, () => end('broken off'));
    });

  return {
    read,
    /** Returns the bytes that all unfinished bodies hold now. */
    heldBytes: () => held,
  };
}

/** Adds a chunk to a body of at most `most` bytes; returns by how many bytes the buffer grew. */
function append(body: Unfinished, chunk: Buffer, most: number): number {
  const { buffer, length } = body;
  const size = buffer.length;
  body.length += chunk.length;
  if (body.length > size) {
    const grown = Math.min(Math.max(size * 2, FIRST_BYTES), most);
    body.buffer = Buffer.allocUnsafeSlow(Math.max(grown, body.length));
    buffer.copy(body.buffer, 0, 0, length);
    free(buffer);
  }
  chunk.copy(body.buffer, length);
  return body.buffer.length - size;
}

// Gives back a buffer's memory at once, which lies outside V8's heap: it would be collected late.
function free(buffer: Buffer): void {
  (buffer.buffer as ArrayBuffer).transfer(0);
}

function costliest(bodies: Iterable<Unfinished>, now: number): Unfinished | undefined {
  const cost = ({ buffer, since }: Unfinished) => buffer.length * (now - since + 1);
  let found: Unfinished | undefined;
  for (const body of bodies) if (!found || cost(body) > cost(found)) found = body;
  return found;
}
