import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Person } from './account.ts';
import type { Place } from './rate-window.ts';
import type { Route } from './route.ts';

/** A request that is being served, and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** When the request arrived, in milliseconds since the epoch. */
  at: number;
  method: string;
  /** Without the query. */
  path: string;
  route: Route;
  /** The key's user, even if suspended; null if the key is unknown. */
  person: Person | null;
}

/** An exchange that the rate limit admitted. */
export interface AdmittedExchange extends Exchange {
  place: Place;
}
