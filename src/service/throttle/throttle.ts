/**
 * A class of calls to the service. `interactive`: a person waits for the answer; goes first, as long
 * as people have no more than their share of the window. `bulk`: filing; spread. Both are fair between
 * queues.
 */
export type Lane = 'interactive' | 'bulk';

export interface AdmissionRequest {
  lane: Lane;
  /**
   * Fairness key: queues of a lane take turns. In the bulk lane a channel; in the interactive lane a
   * person, who may have no more than a part of the places that people have.
   */
  queue?: string | undefined;
  /** The longest the call may take once it is admitted, in milliseconds. */
  timeoutMs: number;
  /** Leaves the line when it aborts; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The right to send one request now. */
export interface Admission {
  /**
   * Must be called exactly once, as soon as the request has been answered, has failed, or will not
   * be sent. `sent: false` gives the place back at once; otherwise it stays taken for one window.
   */
  done(outcome: { sent: boolean; rateLimitedForMs?: number | undefined }): void;
}

/** The account's rate limit: a true sliding window over all lanes, uploads and retries included. */
export interface Throttle {
  /** Resolves when the request may be sent. */
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Figures for `/metrics` and the tests. */
  state(): ThrottleState;
  /** Resolves when calls can be admitted; rejects while the shared store cannot be asked. */
  check(): Promise<void>;
  /** Rejects all who wait with SERVICE_STOPPED and lets go of timers and connections. */
  stop(): Promise<void>;
}

export interface ThrottleState {
  waiting: { interactive: number; bulk: number };
  /** Places taken, in flight or within their window. */
  taken: number;
  /** Places that the throttle allows itself at present; under the limit after answers of 429. */
  allowed: number;
  /** Our clock's time until which a 429 holds everybody back; null when open. */
  closedUntil: number | null;
}
