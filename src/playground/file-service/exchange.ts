import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Person } from './account.ts';
import type { Place } from './rate-window.ts';
import type { Route } from './route.ts';

/** One request on its way to its answer. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Its arrival, in milliseconds since the epoch. */
  at: number;
  method: string;
  /** Without the query. */
  path: string;
  route: Route;
  /** The key's user, be the key accepted or not. */
  person: Person | null;
}

/** One that has a place in the window. */
export interface AdmittedExchange extends Exchange {
  place: Place;
}
