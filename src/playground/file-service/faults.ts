import type { Random } from '../../base/index.ts';
import type { RetryAfter } from './responses.ts';
import type { Operation } from './routes.ts';

/**
 * What may go wrong with a request, and when.
 *
 * Instead of its effect:
 * - `429`: too many requests, with `Retry-After` or without.
 * - `401`, `403`, `404`: the key, right or thing is missing, or the account lacks the call.
 * - `500`, `502`, `503`, `504`: the service fails.
 * - `status`: an error of any other status.
 * - `early`: the same before the body is read; then the connection is reset.
 * - `outage`: the connection is closed without a response; the rate limit does not count it.
 * - `reset-before`: the connection is reset.
 * - `html`: a web page, as a proxy or firewall sends it.
 * - `hang`: no response; the connection stays open until the caller or the service closes it.
 *
 * Before its effect, which still happens:
 * - `slow`: a delay, which goes on even if the caller disconnects.
 *
 * After its effect:
 * - `cut`: half of the response, then the connection is closed.
 * - `reset-after`: the connection is reset instead of a response.
 * - `error-after`: a 500 instead of the response.
 * - `malformed`: sizes as strings, URLs as objects, and one malformed record in a list.
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
  | {
      mode: 'html' | 'status' | 'early';
      /** Default: 200 for a web page, else 413. */
      status?: number;
    }
  | { mode: FaultBefore | (typeof AFTER_EFFECT)[number] };

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
  | 'hang';

const AFTER_EFFECT = ['cut', 'reset-after', 'error-after', 'malformed'] as const;

export type FaultMode = Fault['mode'];

/** Whether the fault comes after the request's effect. */
export function isAfterEffect({ mode }: Fault): boolean {
  return AFTER_EFFECT.some((after) => after === mode);
}

export interface FaultScope {
  /** The operations to hit. Default: all. */
  only?: Operation | readonly Operation[];
  /** The folder to hit, by its number in the path. Default: any path. */
  folderId?: number;
  /** The probability that a request is hit, from 0 to 1. Default: 1. */
  probability?: number;
}

/** A request at one of the two moments at which a fault may hit it. */
export interface FaultMoment {
  operation: Operation;
  /** The folder that the path names; 0 if it names none. */
  folderId: number;
  /** `after`: the effect has happened, but the response is not sent yet. */
  when: 'before' | 'after';
  /** The key's user; null if the key is unknown. */
  userId: number | null;
  /** The status of the pending response; null `before` the effect. */
  status: number | null;
}

/** Returns the fault for a request, if any; called at both moments. May be asynchronous. */
type Interceptor = (moment: FaultMoment) => Promise<Fault | undefined> | Fault | undefined;

interface PlannedFault {
  fault: Fault;
  left: number;
  only: FaultScope['only'];
}

export type FaultControl = ReturnType<typeof createFaultControl>;

/** Creates the control that sets the faults to inject while the service runs. */
export function createFaultControl(random: Random) {
  const interceptors = new Set<Interceptor>();
  let standing: { fault: Fault | 'none'; scope: FaultScope } = { fault: 'none', scope: {} };
  let planned: PlannedFault[] = [];

  function planFor(operation: Operation): Fault | undefined {
    const plan = planned.find(({ only }) => matches(operation, only));
    if (!plan) return undefined;
    plan.left -= 1;
    planned = planned.filter(({ left }) => left > 0);
    return plan.fault;
  }

  function standingFor({ operation, folderId }: FaultMoment): Fault | undefined {
    const { fault, scope } = standing;
    if (fault === 'none' || !matches(operation, scope.only)) return undefined;
    if (folderId !== (scope.folderId ?? folderId)) return undefined;
    return random.fraction() < (scope.probability ?? 1) ? fault : undefined;
  }

  return {
    /** Sets the standing fault, which lasts until it is replaced; `none` ends it. */
    set: (fault: Fault | 'none', scope: FaultScope = {}): void => {
      standing = { fault, scope };
    },
    /** Returns the standing fault. */
    current: () => standing.fault,
    /** Hits the next `times` matching requests, before the standing fault does. Calls queue up. */
    next: (fault: Fault, times = 1, only: FaultScope['only'] = undefined): void => {
      if (times > 0) planned.push({ fault, left: times, only });
    },
    /** Calls `interceptor` first for every request. Returns a function that removes it. */
    intercept: (interceptor: Interceptor) => {
      interceptors.add(interceptor);
      return () => void interceptors.delete(interceptor);
    },
    /** Removes all faults and interceptors. */
    clear: (): void => {
      standing = { fault: 'none', scope: {} };
      planned = [];
      interceptors.clear();
    },
    /** For the service: resolves with the fault for a request at this moment, if any. */
    at: async (moment: FaultMoment): Promise<Fault | undefined> => {
      for (const interceptor of interceptors) {
        const fault = await interceptor(moment);
        if (fault) return fault;
      }
      if (moment.when === 'after') return undefined;
      return planFor(moment.operation) ?? standingFor(moment);
    },
  };
}

function matches(operation: Operation, only: FaultScope['only']): boolean {
  return only === undefined || [only].flat().includes(operation);
}
