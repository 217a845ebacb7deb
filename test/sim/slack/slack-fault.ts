/** What happens to one call of Slack's Web API. */
export type SlackFault =
  /** Nothing is done, and this is said. */
  | { kind: 'status-before'; status: number }
  | { kind: 'limited'; retryAfter: number }
  | { kind: 'refused-before'; error: string }
  /** Nothing is done; the connection breaks, or nothing is ever said. */
  | { kind: 'reset-before' }
  | { kind: 'silent-before' }
  /** It is done; the connection breaks in place of the answer, or nothing is ever said. */
  | { kind: 'reset-after' }
  | { kind: 'silent-after' }
  | { kind: 'status-after'; status: number }
  | { kind: 'late-answer'; ms: number };

export type SlackFaults = (method: string) => SlackFault | null;

/** What happens to one download of a Slack file. */
export type DownloadFault =
  | { kind: 'status'; status: number }
  | { kind: 'page' }
  | { kind: 'cut' }
  | { kind: 'short' }
  | { kind: 'silent' }
  | { kind: 'drip'; ms: number };

export type DownloadFaults = () => DownloadFault | null;

/** What happens to one delivery of Slack's to the app. */
export type DeliveryFault =
  | { kind: 'lost' }
  | { kind: 'answer-lost' }
  | { kind: 'delayed'; ms: number }
  | { kind: 'repeated'; afterMs: number };

export type DeliveryFaults = () => DeliveryFault | null;
