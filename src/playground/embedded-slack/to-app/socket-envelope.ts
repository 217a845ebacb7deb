import type { WebSocket } from 'ws';
import type { Clock, Random } from '../../../base/index.ts';
import { isJson, type Json } from '../slack-shapes.ts';
import type { Attempt, Outgoing } from './app-line.ts';

export interface EnvelopeParts {
  clock: Clock;
  random: Random;
  /** How long an envelope may stay unacknowledged, in milliseconds, before it counts as failed. */
  patienceMs: number;
  stopped: AbortSignal;
}

/** Receives the app's acknowledgement, or undefined if the connection has closed. */
export type Acknowledge = (answer: Json | undefined) => void;

/** Sends one envelope and waits for its acknowledgement; `waiting` is keyed by envelope ID. */
export async function sendEnvelope(
  { clock, random, patienceMs, stopped }: EnvelopeParts,
  socket: WebSocket,
  { message, waiting }: { message: Outgoing; waiting: Map<string, Acknowledge> },
): Promise<Attempt> {
  const begun = clock.now();
  const id = random.id();
  const patience = new AbortController();
  const answer = new Promise<Json | undefined>((resolve) => waiting.set(id, resolve));
  const impatient = clock
    .sleep(patienceMs, AbortSignal.any([patience.signal, stopped]))
    .catch(() => undefined);
  socket.send(JSON.stringify(envelope(id, message)));
  const first = await Promise.race([answer, impatient.then(() => 'timeout' as const)]);
  patience.abort();
  waiting.delete(id);
  const ms = clock.now() - begun;
  if (first === undefined) return unsent('connection_failed', ms);
  if (first === 'timeout') return unsent('timeout', ms);
  const body = isJson(first['payload']) ? first['payload'] : {};
  return { via: 'socket', status: 200, ms, body: Object.keys(body).length > 0 ? body : '' };
}

function envelope(id: string, { type, payload, retry }: Outgoing): Json {
  const retries =
    type === 'events_api'
      ? { retry_attempt: retry?.attempt ?? 0, retry_reason: retry?.reason ?? '' }
      : {};
  const accepts_response_payload = type !== 'events_api';
  return { envelope_id: id, type, payload, accepts_response_payload, ...retries };
}

/** Returns a failed attempt. */
export function unsent(failure: string, ms: number): Attempt {
  return { via: 'socket', status: 0, ms, body: '', failure };
}
