/**
 * What may go wrong with a request, and when.
 *
 * Before its effect, in its place:
 * - `429`: too many requests, with `Retry-After` or without.
 * - `401`, `403`, `404`: the key, the right or the thing is missing, or the account lacks the call.
 * - `500`, `502`, `503`, `504`: the service fails.
 * - `outage`: the connection is closed without a word; the request takes no place in the window.
 * - `reset-before`: the connection is reset.
 * - `html`: status 200 and a web page.
 * - `hang`: no answer; the connection stays open until the caller or the service leaves.
 *
 * Before its effect, which then happens:
 * - `slow`: a wait, even when the caller leaves meanwhile.
 *
 * After its effect:
 * - `cut`: half of the answer, then the connection is closed.
 * - `reset-after`: the connection is reset in place of the answer.
 * - `error-after`: 500 in place of the answer.
 * - `odd`: sizes as strings, addresses as objects, and in a list one record that is none.
 */
export type Fault =
  | {
      mode: '429' /** Default: seconds. */;
      retryAfter?: RetryAfter /** Default: 2000. */;
      ms?: number;
    }
  | { mode: 'slow' /** Milliseconds; default: 2000. */; ms?: number }
  | { mode: FaultBefore | FaultAfter };

/** How a 429 tells the wait; whole seconds, rounded up, in either form. */
export type RetryAfter = 'seconds' | 'http-date' | 'none';

export type FaultBefore =
  | '401'
  | '403'
  | '404'
  | '500'
  | '502'
  | '503'
  | '504'
  | 'outage'
  | 'reset-before'
  | 'html'
  | 'hang';

export type FaultAfter = 'cut' | 'reset-after' | 'error-after' | 'odd';

export type FaultMode = Fault['mode'];

const AFTER: ReadonlySet<FaultMode> = new Set(['cut', 'reset-after', 'error-after', 'odd']);

/** Whether the request has its effect before the fault shows. */
export function isAfterEffect(fault: Fault): boolean {
  return AFTER.has(fault.mode);
}
