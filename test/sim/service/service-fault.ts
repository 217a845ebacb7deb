import type { Operation } from '../../../src/playground/file-service/index.ts';

/** The fault of one request to the service. */
export type ServiceFault =
  /** No connection: nothing reaches the service. */
  | { kind: 'refused' }
  /** The connection breaks before the whole request has arrived. */
  | { kind: 'reset-before' }
  /** The service does nothing and responds with this status. */
  | { kind: 'status-before'; status: number; retryAfter?: number | 'none' }
  /** The service does nothing and reports an error with status 200. */
  | { kind: 'told-before'; code: number }
  /** A web page comes in place of the response; nothing is done. */
  | { kind: 'page-before' }
  /** The request arrives this many milliseconds late; then all is well. */
  | { kind: 'late-arrival'; ms: number }
  /** The service does nothing and never responds. */
  | { kind: 'silent-before' }
  /** The request takes effect, but the service responds with this status. */
  | { kind: 'status-after'; status: number; retryAfter?: number | 'none' }
  | { kind: 'told-after'; code: number }
  /**
   * The request takes effect; the connection breaks before the response, or in the middle of it.
   */
  | { kind: 'reset-after' }
  | { kind: 'cut-after' }
  | { kind: 'garbled-after' }
  /** The request takes effect, but the service never responds. */
  | { kind: 'silent-after' }
  /**
   * The request takes effect and the response comes this many milliseconds late, or the effect
   * itself does.
   */
  | { kind: 'late-answer'; ms: number }
  | { kind: 'late-effect'; ms: number }
  /** A list shows the state of this many milliseconds ago; other requests are unaffected. */
  | { kind: 'stale-list'; ms: number };

/** One request on its way to the service. */
export interface ServiceCall {
  operation: Operation;
  method: string;
  path: string;
}

/** Returns the fault of a request; null: none. */
export type ServiceFaults = (call: ServiceCall) => ServiceFault | null;

/** Returns a fault's name in traces and figures. */
export function describeFault(fault: ServiceFault): string {
  if ('code' in fault) return `${fault.kind} ${fault.code}`;
  if ('status' in fault) return `${fault.kind} ${fault.status}`;
  return 'ms' in fault ? `${fault.kind} ${fault.ms} ms` : fault.kind;
}
