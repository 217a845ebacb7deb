import type { Random } from '../../base/index.ts';
import type { Fault } from './fault.ts';
import type { Operation } from './operation.ts';

export interface FaultScope {
  /** Only these; default: all. */
  only?: Operation | readonly Operation[];
  /** The share of requests that it hits, from 0 to 1. Default: 1. */
  probability?: number;
}

/** A request at one of the two moments at which something may go wrong with it. */
export interface FaultMoment {
  operation: Operation;
  /** `after`: the effect has happened, the answer has not left. */
  when: 'before' | 'after';
  method: string;
  path: string;
  /** The key's user. */
  userId: number | null;
  /** Of the answer to come; null before. */
  status: number | null;
}

/** Decides a request's fate at both moments; may take its time, and may return no fault. */
export type Interceptor = (moment: FaultMoment) => Promise<Fault | undefined> | Fault | undefined;

/** What goes wrong, settable while the service runs. */
export interface FaultControl {
  /** The standing fault; `none` ends it. */
  set(fault: Fault | 'none', scope?: FaultScope): void;
  /** The standing fault. */
  current(): Fault | 'none';
  /** Hits the next `times` matching requests, ahead of the standing fault. Calls add up, in order. */
  next(fault: Fault, times?: number, only?: FaultScope['only']): void;
  /** Asks `interceptor` first, for every request. Returns what ends it. */
  intercept(interceptor: Interceptor): () => void;
  /** Ends all of it. */
  clear(): void;
  /** The service's side: the fault of a request at this moment. */
  at(moment: FaultMoment): Promise<Fault | undefined>;
}

interface Planned {
  fault: Fault;
  left: number;
  only: FaultScope['only'];
}

export function createFaultControl(random: Random): FaultControl {
  const interceptors = new Set<Interceptor>();
  let standing: { fault: Fault | 'none'; scope: FaultScope } = { fault: 'none', scope: {} };
  let planned: Planned[] = [];

  function planFor(operation: Operation): Fault | undefined {
    const plan = planned.find(({ only }) => matches(operation, only));
    if (!plan) return undefined;
    plan.left -= 1;
    planned = planned.filter(({ left }) => left > 0);
    return plan.fault;
  }

  function standingFor(operation: Operation): Fault | undefined {
    const { fault, scope } = standing;
    if (fault === 'none' || !matches(operation, scope.only)) return undefined;
    return random.fraction() < (scope.probability ?? 1) ? fault : undefined;
  }

  async function at(moment: FaultMoment): Promise<Fault | undefined> {
    for (const interceptor of interceptors) {
      const fault = await interceptor(moment);
      if (fault) return fault;
    }
    if (moment.when === 'after') return undefined;
    return planFor(moment.operation) ?? standingFor(moment.operation);
  }

  return {
    set: (fault, scope = {}) => {
      standing = { fault, scope };
    },
    current: () => standing.fault,
    next: (fault, times = 1, only = undefined) => {
      if (times > 0) planned.push({ fault, left: times, only });
    },
    intercept: (interceptor) => {
      interceptors.add(interceptor);
      return () => void interceptors.delete(interceptor);
    },
    clear: () => {
      standing = { fault: 'none', scope: {} };
      planned = [];
      interceptors.clear();
    },
    at,
  };
}

function matches(operation: Operation, only: FaultScope['only']): boolean {
  if (only === undefined) return true;
  return typeof only === 'string' ? only === operation : only.includes(operation);
}
