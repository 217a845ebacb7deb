import type { Json } from '../slack-shapes.ts';

/** What Slack sends to the app, named as Socket Mode names it. */
export interface Outgoing {
  type: 'events_api' | 'slash_commands' | 'interactive';
  payload: Json;
  /** Set when it is sent again: the how-manieth time, and why. */
  retry?: { attempt: number; reason: string };
}

/** How one sending went. */
export interface Attempt {
  via: 'http' | 'socket';
  /** HTTP status, 200 for an envelope acknowledged in time; 0 when there was no answer. */
  status: number;
  /** Milliseconds until the answer or the end of patience. */
  ms: number;
  /** What the app answered: the JSON object, else the text. */
  body: unknown;
  /** Why it counts as failed, in the words of `x-slack-retry-reason`; absent when it went well. */
  failure?: string;
  /** The app asked not to be sent this again. */
  noRetry?: boolean;
}

/** One way to the app. */
export interface AppLine {
  isConnected(): boolean;
  send(message: Outgoing): Promise<Attempt>;
}

/** Sends through the socket when the app holds one, as Slack does, else over HTTP. */
export function chooseLine(socket: AppLine, http: AppLine): AppLine {
  return {
    isConnected: () => socket.isConnected() || http.isConnected(),
    send: (message) => (socket.isConnected() ? socket : http).send(message),
  };
}
