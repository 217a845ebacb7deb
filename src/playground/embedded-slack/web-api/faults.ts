import type { Clock } from '../../../base/index.ts';

/** A fault injected into a Web API call before it is executed, or instead. */
export type Fault =
  | { kind: 'rate_limited'; retryAfter: number }
  | { kind: 'error'; error: string }
  | { kind: 'status'; status: number }
  | { kind: 'delay'; ms: number }
  /** Executed, but the connection breaks before the response. */
  | { kind: 'lost' };

/** At most `calls` calls of a method in any `perMs` milliseconds. */
export interface CallBudget {
  calls: number;
  perMs: number;
}

/** Each fault applies to the method's next `times` calls (default 1); `*` is any method. */
export interface Faults {
  /** Responds 429 with `Retry-After` in seconds. */
  rateLimit(method: string, seconds: number, times?: number): void;
  /** Responds with a Slack error code or, if `error` is a number, with that HTTP status. */
  fail(method: string, error: string | number, times?: number): void;
  /** Delays the call, in milliseconds. */
  delay(method: string, ms: number, times?: number): void;
  /** Executes the call and breaks the connection instead of responding. */
  lose(method: string, times?: number): void;
  clearFaults(): void;
}

export interface FaultInjector extends Faults {
  /** Returns the planned fault for a call, using it up, or a rate limit if it is over budget. */
  next(method: string): Fault | undefined;
}

export function createFaultInjector(
  clock: Clock,
  budgets: Record<string, CallBudget>,
): FaultInjector {
  const planned = new Map<string, { fault: Fault; left: number }[]>();
  const callTimes = new Map<string, number[]>();

  const plan = (method: string, fault: Fault, times = 1) => {
    planned.set(method, [...(planned.get(method) ?? []), { fault, left: times }]);
  };
  const take = (method: string): Fault | undefined => {
    const entry = planned.get(method)?.find(({ left }) => left > 0);
    if (entry) entry.left -= 1;
    return entry?.fault;
  };
  const overBudget = (method: string): Fault | undefined => {
    const budget = budgets[method];
    if (!budget) return undefined;
    const now = clock.now();
    const recent = (callTimes.get(method) ?? []).filter((at) => at > now - budget.perMs);
    const [oldest] = recent;
    callTimes.set(method, recent.length < budget.calls ? [...recent, now] : recent);
    if (recent.length < budget.calls || oldest === undefined) return undefined;
    return { kind: 'rate_limited', retryAfter: Math.ceil((oldest + budget.perMs - now) / 1000) };
  };

  return {
    rateLimit: (method, seconds, times) =>
      plan(method, { kind: 'rate_limited', retryAfter: seconds }, times),
    fail: (method, error, times) =>
      plan(
        method,
        typeof error === 'number' ? { kind: 'status', status: error } : { kind: 'error', error },
        times,
      ),
    delay: (method, ms, times) => plan(method, { kind: 'delay', ms }, times),
    lose: (method, times) => plan(method, { kind: 'lost' }, times),
    clearFaults: () => planned.clear(),
    next: (method) => take(method) ?? take('*') ?? overBudget(method),
  };
}
