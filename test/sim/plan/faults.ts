import type { Operation } from '../../../src/playground/file-service/index.ts';
import type { Chance } from '../kernel/random.ts';

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
interface ServiceCall {
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

/** The fault of one call of Slack's Web API. */
export type SlackFault =
  /** Nothing is done, and Slack responds with this status. */
  | { kind: 'status-before'; status: number }
  | { kind: 'limited'; retryAfter: number }
  | { kind: 'refused-before'; error: string }
  /** Nothing is done; the connection breaks, or Slack never responds. */
  | { kind: 'reset-before' }
  | { kind: 'silent-before' }
  /** The call takes effect; the connection breaks before the response, or Slack never responds. */
  | { kind: 'reset-after' }
  | { kind: 'silent-after' }
  | { kind: 'status-after'; status: number }
  | { kind: 'late-answer'; ms: number };

export type SlackFaults = (method: string) => SlackFault | null;

/** The fault of one download of a Slack file. */
export type DownloadFault =
  | { kind: 'status'; status: number }
  | { kind: 'page' }
  | { kind: 'cut' }
  | { kind: 'short' }
  | { kind: 'silent' }
  | { kind: 'drip'; ms: number };

export type DownloadFaults = () => DownloadFault | null;

/** The fault of one delivery from Slack to the app. */
type DeliveryFault =
  | { kind: 'lost' }
  | { kind: 'answer-lost' }
  | { kind: 'delayed'; ms: number }
  | { kind: 'repeated'; afterMs: number };

export type DeliveryFaults = () => DeliveryFault | null;

/** Faults that affect the whole world for a while, or once. */
type Incident =
  | 'stranger-calls'
  | 'stranger-files'
  | 'stranger-deletes'
  | 'attachments-forgotten'
  | 'started-twice'
  | 'outage'
  | 'slow-service'
  | 'wrong-refusals'
  | 'storm'
  | 'key-revoked'
  | 'folder-deleted'
  | 'slack-silent'
  | 'slack-file-deleted'
  | 'bot-removed'
  | 'archived'
  | 'pause'
  | 'clock'
  | 'disk-full'
  | 'history-fails';

/** How often faults occur, from 0 to 1, and which kinds occur at all in this world. */
export interface FaultRates {
  service: { probability: number; kinds: ServiceFault[] };
  slack: { probability: number; kinds: SlackFault[] };
  downloads: { probability: number; kinds: DownloadFault[] };
  deliveries: { probability: number; kinds: DeliveryFault[] };
  /** The fraction of writing statements that fail. */
  disk: number;
  incidents: Incident[];
}

const SERVICE: ServiceFault[] = [
  { kind: 'refused' },
  { kind: 'reset-before' },
  ...[500, 502, 503, 504].map((status) => ({ kind: 'status-before' as const, status })),
  { kind: 'status-before', status: 429, retryAfter: 2 },
  { kind: 'status-before', status: 429, retryAfter: 'none' },
  { kind: 'page-before' },
  { kind: 'silent-before' },
  ...[500, 502, 503, 504].map((status) => ({ kind: 'status-after' as const, status })),
  { kind: 'status-after', status: 429, retryAfter: 2 },
  { kind: 'status-after', status: 429, retryAfter: 'none' },
  { kind: 'reset-after' },
  { kind: 'reset-after' },
  { kind: 'cut-after' },
  { kind: 'garbled-after' },
  { kind: 'silent-after' },
  { kind: 'silent-after' },
  { kind: 'late-answer', ms: 8_000 },
  { kind: 'late-answer', ms: 58_000 },
  { kind: 'late-answer', ms: 75_000 },
  { kind: 'late-effect', ms: 20_000 },
  { kind: 'late-effect', ms: 90_000 },
  { kind: 'stale-list', ms: 5_000 },
  { kind: 'stale-list', ms: 30_000 },
];

/** After one of these, a file may rightly be refused. */
const SERVICE_FINAL: ServiceFault[] = [
  ...[400, 401, 403, 404].map((status) => ({ kind: 'status-before' as const, status })),
  ...[400, 401, 403, 404].map((status) => ({ kind: 'status-after' as const, status })),
  ...[1001, 1201, 1301, 5000].map((code) => ({ kind: 'told-before' as const, code })),
  ...[1001, 1201, 1301, 5000].map((code) => ({ kind: 'told-after' as const, code })),
];

const SLACK: SlackFault[] = [
  { kind: 'status-before', status: 503 },
  { kind: 'limited', retryAfter: 1 },
  { kind: 'limited', retryAfter: 20 },
  { kind: 'refused-before', error: 'internal_error' },
  { kind: 'reset-before' },
  { kind: 'silent-before' },
  { kind: 'reset-after' },
  { kind: 'silent-after' },
  { kind: 'status-after', status: 500 },
  { kind: 'late-answer', ms: 7_000 },
];

const DOWNLOADS: DownloadFault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429 },
  { kind: 'cut' },
  { kind: 'silent' },
  { kind: 'short' },
  { kind: 'drip', ms: 3_000 },
];

const DOWNLOADS_FINAL: DownloadFault[] = [
  { kind: 'status', status: 403 },
  { kind: 'status', status: 404 },
  { kind: 'page' },
];

const DELIVERIES: DeliveryFault[] = [
  { kind: 'lost' },
  { kind: 'answer-lost' },
  { kind: 'delayed', ms: 700 },
  { kind: 'delayed', ms: 30_000 },
  { kind: 'repeated', afterMs: 10 },
  { kind: 'repeated', afterMs: 20_000 },
];

const INCIDENTS: Incident[] = [
  'stranger-calls',
  'stranger-calls',
  'stranger-files',
  'stranger-deletes',
  'attachments-forgotten',
  'started-twice',
  'outage',
  'slow-service',
  'storm',
  'slack-silent',
  'pause',
  'clock',
  'disk-full',
  'history-fails',
];

const INCIDENTS_FINAL: Incident[] = [
  'wrong-refusals',
  'key-revoked',
  'folder-deleted',
  'slack-file-deleted',
  'bot-removed',
  'archived',
];

/** Draws a world's faults: a few kinds in most parts of most worlds, and none at all in some. */
export function drawRates(chance: Chance): FaultRates {
  const final = chance.happens(0.25);
  const probability = () => chance.pick([0, 0, 0.03, 0.1, 0.3, 0.6]);
  const some = <T>(all: T[], more: T[]) =>
    [...all, ...(final ? more : [])].filter(() => chance.happens(0.4));
  return {
    service: { probability: probability(), kinds: either(some(SERVICE, SERVICE_FINAL)) },
    slack: { probability: probability(), kinds: some(SLACK, []) },
    downloads: { probability: probability(), kinds: some(DOWNLOADS, DOWNLOADS_FINAL) },
    deliveries: { probability: probability(), kinds: some(DELIVERIES, []) },
    disk: chance.pick([0, 0, 0, 0.005, 0.03]),
    incidents: chance.happens(0.5) ? some(INCIDENTS, INCIDENTS_FINAL) : [],
  };
}

// The app detects a refusal after the effect by a list, so no account has both such refusals and
// stale lists.
function either(kinds: ServiceFault[]): ServiceFault[] {
  const isWrongRefusal = (fault: ServiceFault) =>
    fault.kind === 'told-after' || (fault.kind === 'status-after' && fault.status < 500);
  return kinds.some(isWrongRefusal) ? kinds.filter(({ kind }) => kind !== 'stale-list') : kinds;
}
