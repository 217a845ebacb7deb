import type { Json } from '../slack-shapes.ts';

/** A request from Slack to the app; `type` is Socket Mode's name for it. */
export interface Outgoing {
  type: 'events_api' | 'slash_commands' | 'interactive';
  payload: Json;
  /** Set on a retry: its number, and why the previous attempt failed. */
  retry?: { attempt: number; reason: string };
}

/** The outcome of one request to the app. */
export interface Attempt {
  via: 'http' | 'socket';
  /** The HTTP status; 200 for an envelope acknowledged in time, 0 without a response. */
  status: number;
  /** Milliseconds until the response or the timeout. */
  ms: number;
  /** The app's response: the JSON object, else the text. */
  body: unknown;
  /** Why the attempt failed, as in `x-slack-retry-reason`; absent if it succeeded. */
  failure?: string;
  /** The app asked for no retry of this event. */
  noRetry?: boolean;
}

/** A connection to the app. */
export interface AppLine {
  isConnected(): boolean;
  send(message: Outgoing): Promise<Attempt>;
}

/** Sends through the socket if the app has one open, as Slack does, else over HTTP. */
export function chooseLine(socket: AppLine, http: AppLine): AppLine {
  return {
    isConnected: () => socket.isConnected() || http.isConnected(),
    send: (message) => (socket.isConnected() ? socket : http).send(message),
  };
}
