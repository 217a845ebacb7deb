import type { Json } from './slack-shapes.ts';

/** A message that only one person sees. Slack stores none; this list makes them observable. */
export interface Ephemeral {
  ts: string;
  channel: string;
  user: string;
  text: string;
  blocks: Json[];
  threadTs?: string | undefined;
  /** How it was posted: `chat.postEphemeral`, a `response_url`, or the response to a command. */
  via: 'postEphemeral' | 'response_url' | 'ack';
  /** How often it was replaced. */
  edits: number;
}

export interface Ephemerals {
  add(message: Omit<Ephemeral, 'edits'>): Ephemeral;
  replace(message: Ephemeral, content: { text: string; blocks: Json[] }): void;
  remove(message: Ephemeral): void;
  find(ts: string): Ephemeral | undefined;
  /** Returns a person's ephemeral messages, oldest first; with `channel`, only those there. */
  of(user: string, channel?: string): Ephemeral[];
}

export function createEphemerals(): Ephemerals {
  const all = new Map<string, Ephemeral>();
  return {
    add: (message) => {
      const added = { ...message, edits: 0 };
      all.set(message.ts, added);
      return added;
    },
    replace: (message, content) => Object.assign(message, content, { edits: message.edits + 1 }),
    remove: (message) => all.delete(message.ts),
    find: (ts) => all.get(ts),
    of: (user, channel) =>
      [...all.values()].filter(
        (message) => message.user === user && (!channel || message.channel === channel),
      ),
  };
}
