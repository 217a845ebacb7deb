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
export type DeliveryFault =
  | { kind: 'lost' }
  | { kind: 'answer-lost' }
  | { kind: 'delayed'; ms: number }
  | { kind: 'repeated'; afterMs: number };

export type DeliveryFaults = () => DeliveryFault | null;
