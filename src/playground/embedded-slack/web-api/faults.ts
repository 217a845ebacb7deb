import type { DownloadFault } from '../files/file-object.ts';

/** A fault injected into a Web API call before it is executed, or instead. */
export type Fault =
  | { kind: 'rate_limited'; retryAfter: number }
  | { kind: 'error'; error: string }
  | { kind: 'status'; status: number }
  /** Executed, but the connection breaks before the response. */
  | { kind: 'lost' };

/** Each fault applies to the method's next `times` calls (default 1); `*` is any method. */
export interface Faults {
  /** Responds 429 with `Retry-After` in seconds. */
  rateLimit(method: string, seconds: number, times?: number): void;
  /** Responds with a Slack error code or, if `error` is a number, with that HTTP status. */
  fail(method: string, error: string | number, times?: number): void;
  /** Executes the call and breaks the connection instead of responding. */
  lose(method: string, times?: number): void;
  /**
   * From now on refuses what the bot's token may do: everything once it is revoked; without
   * `files:read`, the methods and downloads of files. Null: nothing.
   */
  refuseToken(why: TokenRefusal | null): void;
  /** From now on breaks the downloads of files without a fault of their own. Null: none. */
  breakDownloads(fault: DownloadFault | null): void;
  clearFaults(): void;
}

type TokenRefusal = 'token_revoked' | 'missing_scope';

export interface FaultInjector extends Faults {
  /** Whether the bot's token may read files. */
  readsFiles(): boolean;
  /** Returns what is to go wrong with downloads, if anything. */
  downloads(): DownloadFault | undefined;
  /** Returns the planned fault for a call, using it up. */
  next(method: string): Fault | undefined;
}

export function createFaultInjector(): FaultInjector {
  const planned = new Map<string, { fault: Fault; left: number }[]>();
  let refusal: TokenRefusal | null = null;
  let ofDownloads: DownloadFault | null = null;

  const plan = (method: string, fault: Fault, times = 1) => {
    planned.set(method, [...(planned.get(method) ?? []), { fault, left: times }]);
  };
  const take = (method: string): Fault | undefined => {
    const entry = planned.get(method)?.find(({ left }) => left > 0);
    if (entry) entry.left -= 1;
    return entry?.fault;
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
    lose: (method, times) => plan(method, { kind: 'lost' }, times),
    refuseToken: (why) => {
      refusal = why;
    },
    breakDownloads: (fault) => {
      ofDownloads = fault;
    },
    clearFaults: () => {
      planned.clear();
      refusal = null;
      ofDownloads = null;
    },
    readsFiles: () => refusal === null,
    downloads: () => ofDownloads ?? undefined,
    next: (method) => {
      const isRefused = refusal === 'token_revoked' || method.startsWith('files.');
      if (refusal !== null && isRefused) return { kind: 'error', error: refusal };
      return take(method) ?? take('*');
    },
  };
}
