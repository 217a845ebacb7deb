/**
 * What may go wrong with a request, and when.
 *
 * Instead of its effect:
 * - `429`: too many requests, with `Retry-After` or without.
 * - `401`, `403`, `404`: the key, right or thing is missing, or the account lacks the call.
 * - `500`, `502`, `503`, `504`: the service fails.
 * - `outage`: the connection is closed without a response; the rate limit does not count it.
 * - `reset-before`: the connection is reset.
 * - `html`: status 200 and a web page.
 * - `hang`: no response; the connection stays open until the caller or the service closes it.
 *
 * Before its effect, which still happens:
 * - `slow`: a delay, which goes on even if the caller disconnects.
 *
 * After its effect:
 * - `cut`: half of the response, then the connection is closed.
 * - `reset-after`: the connection is reset instead of a response.
 * - `error-after`: a 500 instead of the response.
 * - `odd`: sizes as strings, URLs as objects, and one malformed record in a list.
 */
export type Fault =
  | {
      mode: '429';
      /** Default: seconds. */
      retryAfter?: RetryAfter;
      /** The wait that `Retry-After` asks for, in milliseconds. Default: 2000. */
      ms?: number;
    }
  | {
      mode: 'slow';
      /** The delay in milliseconds. Default: 2000. */
      ms?: number;
    }
  | { mode: FaultBefore | FaultAfter };

/** The form of a 429's `Retry-After`; both forms round up to whole seconds. */
export type RetryAfter = 'seconds' | 'http-date' | 'none';

type FaultBefore =
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

type FaultAfter = 'cut' | 'reset-after' | 'error-after' | 'odd';

export type FaultMode = Fault['mode'];

const AFTER: ReadonlySet<FaultMode> = new Set(['cut', 'reset-after', 'error-after', 'odd']);

/** Whether the fault strikes after the request's effect. */
export function isAfterEffect(fault: Fault): boolean {
  return AFTER.has(fault.mode);
}
