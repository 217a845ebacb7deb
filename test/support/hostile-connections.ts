import { setImmediate as turn } from 'node:timers/promises';
import { openRaw, type RawConnection } from './loopback.ts';
import type { seededRandom } from './seeded-random.ts';
import { forgedSignature } from './slack-requests.ts';

type Random = ReturnType<typeof seededRandom>;

/** What somebody hostile does with a connection to the port. */
export interface HostileScript {
  /** Written one after another, in turns of the event loop of their own. */
  writes: readonly Buffer[];
  reads: boolean;
  /** `stay`: the connection is left open. */
  end: (typeof ENDS)[number];
}

const ENDS = ['stay', 'close', 'half-close', 'reset'] as const;
const MOST_BYTES = 128 * 1024;

/** Returns the next script that this random source leads to. */
export function hostileScript(random: Random): HostileScript {
  const text = pipelined(random, pick(random, [1, 1, 1, 2, 3, 50, 2_000]));
  const whole = Buffer.from(text, 'latin1').subarray(0, MOST_BYTES);
  const bytes = random.below(2) === 0 ? whole : mutated(whole, random);
  return {
    writes: split(bytes, random),
    reads: random.below(3) > 0,
    end: pick(random, ENDS),
  };
}

/** Does what a script says, on a new connection. */
export async function attack(port: number, script: HostileScript): Promise<RawConnection> {
  const connection = await openRaw(port);
  const { socket, send } = connection;
  if (!script.reads) socket.pause();
  for (const bytes of script.writes) {
    // Not awaited: the port may never take them.
    void send(bytes);
    await turn();
  }
  if (script.end === 'close') socket.destroy();
  if (script.end === 'half-close') socket.end();
  if (script.end === 'reset') socket.resetAndDestroy();
  return connection;
}

function pick<T>(random: Random, choices: readonly T[]): T {
  const choice = choices[random.below(choices.length)];
  if (choice === undefined) throw new Error('There is nothing to choose from');
  return choice;
}

/** Returns so many requests, or as many as fit: all the same, or each another. */
function pipelined(random: Random, count: number): string {
  const first = request(random);
  if (random.below(2) === 0) return first.repeat(Math.min(count, MOST_BYTES / first.length + 1));
  let text = first;
  for (let left = count - 1; left > 0 && text.length < MOST_BYTES; left -= 1)
    text += request(random);
  return text;
}

function request(random: Random): string {
  const method = pick(random, [
    'GET',
    'GET',
    'POST',
    'POST',
    'POST',
    'HEAD',
    'CONNECT',
    'PRI',
    'get',
  ]);
  const target = pick(random, TARGETS);
  const version = pick(random, ['1.1', '1.1', '1.1', '1.1', '1.0', '2.0', '9.9']);
  const body = pick(random, BODIES)(random);
  const headers = [body.headers, ...Array.from({ length: random.below(5) }, () => header(random))];
  const host = random.below(8) === 0 ? '' : 'host: app\r\n';
  return `${method} ${target} HTTP/${version}\r\n${host}${headers.join('')}\r\n${body.bytes}`;
}

const EVENTS = '/slack/events';
const TARGETS = [
  ...[EVENTS, EVENTS, EVENTS, `${EVENTS}?x=1`, `${EVENTS}/`, '/healthz', '/readyz', '/metrics'],
  ...['/', '//', '*', 'http://app/healthz', '/%', '/\u0000', `/${'x'.repeat(20_000)}`],
];

function header(random: Random): string {
  const one = pick(random, HEADERS);
  return typeof one === 'string' ? `${one}\r\n` : one(random);
}

const lines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

const HEADERS: (string | ((random: Random) => string))[] = [
  ...['connection: close', 'connection: keep-alive', 'connection: upgrade\r\nupgrade: h2c'],
  ...[
    'expect: 100-continue',
    'expect: n',
    'host: other',
    'content-length: 3',
    'content-length: -1',
  ],
  ...['transfer-encoding: chunked', 'transfer-encoding: gzip, chunked', 'content-type: text/plain'],
  ...['content-type: application/x-www-form-urlencoded', 'content-type: application/json'],
  ...['x-slack-signature: v0=', 'x-slack-request-timestamp: noon', 'a', ': b', ' folded: c'],
  () => lines(forgedSignature()),
  () => lines({ ...forgedSignature(), 'x-slack-request-timestamp': '1' }),
  (random) => `x: ${noise(random, random.below(40))}\r\n`,
  (random) => 'many: headers\r\n'.repeat(random.below(1_500)),
];

interface Body {
  headers: string;
  bytes: string;
}

const NO_BODY: Body = { headers: '', bytes: '' };

const BODIES: ((random: Random) => Body)[] = [
  () => NO_BODY,
  () => sized('ssl_check=1&token=old', 'application/x-www-form-urlencoded'),
  () => sized('{"type":"url_verification","challenge":"forged"}', 'application/json'),
  (random) => sized(noise(random, random.below(5_000)), 'application/json'),
  () => ({ headers: 'content-length: 4000000\r\n', bytes: '{' }),
  () => ({ headers: 'content-length: 99999999999\r\n', bytes: '{' }),
  (random) => chunked(random.below(3_000), 1 + random.below(9)),
  (random) => chunked(random.below(8), random.below(20_000)),
];

function sized(text: string, type: string): Body {
  const headers = { 'content-type': type, 'content-length': String(text.length) };
  return { headers: lines({ ...headers, ...forgedSignature() }), bytes: text };
}

function chunked(pieces: number, length: number): Body {
  const piece = `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
  const headers = { 'transfer-encoding': 'chunked', ...forgedSignature() };
  return { headers: lines(headers), bytes: `${piece.repeat(pieces)}0\r\n\r\n` };
}

function noise(random: Random, length: number): string {
  return String.fromCharCode(...Array.from({ length }, () => random.below(256)));
}

/** Returns a copy with some bytes changed, lost, added or repeated. */
function mutated(bytes: Buffer, random: Random): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = 1 + random.below(8); left > 0; left -= 1) {
    const at = random.below(changed.length + 1);
    const after = at + random.below(16);
    const middle = pick(random, [
      Buffer.alloc(0),
      Buffer.from(noise(random, 1 + random.below(8)), 'latin1'),
      Buffer.concat([changed.subarray(at, after), changed.subarray(at, after)]),
    ]);
    changed = Buffer.concat([changed.subarray(0, at), middle, changed.subarray(after)]);
  }
  return changed;
}

/** Splits bytes anywhere, at most into eight parts. */
function split(bytes: Buffer, random: Random): Buffer[] {
  const cuts = Array.from({ length: random.below(8) }, () => random.below(bytes.length + 1));
  const ordered = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  const parts = ordered.slice(1).map((end, index) => bytes.subarray(ordered[index], end));
  return parts.filter((part) => part.length > 0);
}
