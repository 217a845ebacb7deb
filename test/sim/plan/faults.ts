import type { Operation } from '../../../src/playground/file-service/index.ts';
import type { Rng } from '../kernel/random.ts';

/** The fault of one request to the service. */
export type ServiceFault =
  /** Nothing reaches the service: no connection, or one that breaks too early. */
  | { kind: 'refused' | 'reset-before' }
  /** The service does nothing, and never responds. */
  | { kind: 'silent-before' }
  /** The service does nothing; a web page comes in place of the response. */
  | { kind: 'page-before' }
  /** The service does nothing (or all, but it says otherwise), and responds with this status. */
  | { kind: 'status-before' | 'status-after'; status: number; retryAfter?: number | 'none' }
  /** The same with an error inside a 200. */
  | { kind: 'error-body-before' | 'error-body-after'; code: number }
  /** The request takes effect; its response is lost, breaks off, cannot be read, or never comes. */
  | { kind: 'reset-after' | 'cut-after' | 'garbled-after' | 'silent-after' }
  /** The request, its effect or its response is this many milliseconds late. */
  | { kind: 'late-arrival' | 'late-effect' | 'late-response'; ms: number }
  /** A list shows the state of this many milliseconds ago; other requests are unaffected. */
  | { kind: 'stale-list'; ms: number };

/** Returns the fault of a request; null: none. */
export type ServiceFaults = (operation: Operation) => ServiceFault | null;

/** Returns a fault's name in traces. */
export function describeFault(fault: ServiceFault): string {
  if ('code' in fault) return `${fault.kind} ${fault.code}`;
  if ('status' in fault) return `${fault.kind} ${fault.status}`;
  return 'ms' in fault ? `${fault.kind} ${fault.ms} ms` : fault.kind;
}

/** The fault of one call of Slack's Web API; `before` and `after` as for the service. */
export type SlackFault =
  | { kind: 'reset-before' | 'silent-before' | 'reset-after' | 'silent-after' }
  | { kind: 'status-before' | 'status-after'; status: number }
  | { kind: 'rate-limited'; retryAfter: number }
  | { kind: 'refused-before'; error: string }
  | { kind: 'late-response'; ms: number };

export type SlackFaults = (method: string) => SlackFault | null;

/** The fault of one download of a Slack file. */
export type DownloadFault =
  | { kind: 'page' | 'cut' | 'short' | 'silent' }
  | { kind: 'status'; status: number }
  | { kind: 'drip'; ms: number };

export type DownloadFaults = () => DownloadFault | null;

/** The fault of one delivery from Slack to the app. */
type DeliveryFault =
  | { kind: 'lost' | 'response-lost' }
  | { kind: 'delayed'; ms: number }
  | { kind: 'repeated'; afterMs: number };

export type DeliveryFaults = () => DeliveryFault | null;

/** A fault that affects the whole world for a while, or once. */
type Incident = (typeof INCIDENTS | typeof PERMANENT_INCIDENTS)[number];

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

const SERVER_ERRORS = [500, 502, 503, 504];
const CLIENT_ERRORS = [400, 401, 403, 404];
const ERROR_CODES = [1001, 1201, 1301, 5000];

const SERVICE: ServiceFault[] = [
  ...(['refused', 'reset-before'] as const).map(ofKind),
  ...SERVER_ERRORS.map((status) => ({ kind: 'status-before' as const, status })),
  { kind: 'status-before', status: 429, retryAfter: 2 },
  { kind: 'status-before', status: 429, retryAfter: 'none' },
  ...(['page-before', 'silent-before'] as const).map(ofKind),
  ...SERVER_ERRORS.map((status) => ({ kind: 'status-after' as const, status })),
  { kind: 'status-after', status: 429, retryAfter: 2 },
  { kind: 'status-after', status: 429, retryAfter: 'none' },
  ...(['reset-after', 'reset-after', 'cut-after', 'garbled-after'] as const).map(ofKind),
  ...(['silent-after', 'silent-after'] as const).map(ofKind),
  ...[8_000, 58_000, 75_000].map((ms) => ({ kind: 'late-response' as const, ms })),
  ...[20_000, 90_000].map((ms) => ({ kind: 'late-effect' as const, ms })),
  ...[5_000, 30_000].map((ms) => ({ kind: 'stale-list' as const, ms })),
];

/** After one of these, a file may rightly be refused. */
const PERMANENT_SERVICE: ServiceFault[] = [
  ...CLIENT_ERRORS.map((status) => ({ kind: 'status-before' as const, status })),
  ...CLIENT_ERRORS.map((status) => ({ kind: 'status-after' as const, status })),
  ...ERROR_CODES.map((code) => ({ kind: 'error-body-before' as const, code })),
  ...ERROR_CODES.map((code) => ({ kind: 'error-body-after' as const, code })),
];

const SLACK: SlackFault[] = [
  { kind: 'status-before', status: 503 },
  ...[1, 20].map((retryAfter) => ({ kind: 'rate-limited' as const, retryAfter })),
  { kind: 'refused-before', error: 'internal_error' },
  ...(['reset-before', 'silent-before', 'reset-after', 'silent-after'] as const).map(ofKind),
  { kind: 'status-after', status: 500 },
  { kind: 'late-response', ms: 7_000 },
];

const DOWNLOADS: DownloadFault[] = [
  ...[500, 429].map((status) => ({ kind: 'status' as const, status })),
  ...(['cut', 'silent', 'short'] as const).map(ofKind),
  { kind: 'drip', ms: 3_000 },
];

const PERMANENT_DOWNLOADS: DownloadFault[] = [
  ...[403, 404].map((status) => ({ kind: 'status' as const, status })),
  { kind: 'page' },
];

const DELIVERIES: DeliveryFault[] = [
  ...(['lost', 'response-lost'] as const).map(ofKind),
  ...[700, 30_000].map((ms) => ({ kind: 'delayed' as const, ms })),
  ...[10, 20_000].map((afterMs) => ({ kind: 'repeated' as const, afterMs })),
];

function ofKind<K>(kind: K): { kind: K } {
  return { kind };
}

const INCIDENTS = [
  ...(['other-requests', 'other-requests', 'other-creates', 'other-deletes'] as const),
  ...(['attachments-forgotten', 'second-process', 'outage', 'slow-service'] as const),
  ...(['rate-limiting', 'slack-silent', 'pause', 'clock', 'disk-full', 'history-fails'] as const),
] as const;

const PERMANENT_INCIDENTS = [
  ...(['wrong-refusals', 'key-revoked', 'folder-deleted', 'slack-file-deleted'] as const),
  ...(['bot-removed', 'archived'] as const),
] as const;

/** Draws a world's faults: a few kinds in most parts of most worlds, and none at all in some. */
export function drawRates(rng: Rng): FaultRates {
  const withPermanent = rng.chance(0.25);
  const probability = () => rng.pick([0, 0, 0.03, 0.1, 0.3, 0.6]);
  const some = <T>(all: readonly T[], permanent: readonly T[] = []) =>
    [...all, ...(withPermanent ? permanent : [])].filter(() => rng.chance(0.4));
  return {
    service: { probability: probability(), kinds: compatible(some(SERVICE, PERMANENT_SERVICE)) },
    slack: { probability: probability(), kinds: some(SLACK) },
    downloads: { probability: probability(), kinds: some(DOWNLOADS, PERMANENT_DOWNLOADS) },
    deliveries: { probability: probability(), kinds: some(DELIVERIES) },
    disk: rng.pick([0, 0, 0, 0.005, 0.03]),
    incidents: rng.chance(0.5) ? some<Incident>(INCIDENTS, PERMANENT_INCIDENTS) : [],
  };
}

// The app detects a refusal after the effect by a list, so no account has both such refusals and
// stale lists.
function compatible(kinds: ServiceFault[]): ServiceFault[] {
  const isWrongRefusal = (fault: ServiceFault) =>
    fault.kind === 'error-body-after' || (fault.kind === 'status-after' && fault.status < 500);
  return kinds.some(isWrongRefusal) ? kinds.filter(({ kind }) => kind !== 'stale-list') : kinds;
}
