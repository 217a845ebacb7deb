/** An answer of the service, not yet judged. */
export interface Answer {
  /** HTTP status. */
  status: number;
  text: string;
  /** Our clock when the request was sent, in milliseconds since the epoch. */
  askedAt: number;
  /** The service's `Date` header, in milliseconds since the epoch; null when it sent none. */
  serviceTime: number | null;
  /** The `Retry-After` header. */
  retryAfter: string | undefined;
  /** The `Location` header. */
  location: string | undefined;
}
