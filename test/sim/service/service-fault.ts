import type { Operation } from '../../../src/playground/file-service/index.ts';

/** What happens to one request to the service. */
export type ServiceFault =
  /** No connection: nothing reaches the service. */
  | { kind: 'refused' }
  /** The connection breaks before the request has come in whole. */
  | { kind: 'reset-before' }
  /** The service does nothing and says this. */
  | { kind: 'status-before'; status: number; retryAfter?: number | 'none' }
  /** The service does nothing, and tells of an error with status 200. */
  | { kind: 'told-before'; code: number }
  /** A web page in place of the answer; nothing is done. */
  | { kind: 'page-before' }
  /** It reaches the service so many milliseconds late; then all is well. */
  | { kind: 'late-arrival'; ms: number }
  /** The service is silent: nothing is done. */
  | { kind: 'silent-before' }
  /** It is done, and this is said. */
  | { kind: 'status-after'; status: number; retryAfter?: number | 'none' }
  | { kind: 'told-after'; code: number }
  /** It is done; the connection breaks in place of the answer, or in the middle of it. */
  | { kind: 'reset-after' }
  | { kind: 'cut-after' }
  | { kind: 'garbled-after' }
  /** It is done, and nothing is said. */
  | { kind: 'silent-after' }
  /** It is done, and answered, so many milliseconds late, or done so late. */
  | { kind: 'late-answer'; ms: number }
  | { kind: 'late-effect'; ms: number }
  /** A list as it was so many milliseconds ago; other requests are not harmed. */
  | { kind: 'stale-list'; ms: number };

/** One request on its way to the service. */
export interface ServiceCall {
  operation: Operation;
  method: string;
  path: string;
}

/** Decides what happens to a request; null for nothing. */
export type ServiceFaults = (call: ServiceCall) => ServiceFault | null;

/** How a fault is named in traces and figures. */
export function describeFault(fault: ServiceFault): string {
  if ('code' in fault) return `${fault.kind} ${fault.code}`;
  if ('status' in fault) return `${fault.kind} ${fault.status}`;
  return 'ms' in fault ? `${fault.kind} ${fault.ms} ms` : fault.kind;
}
