import type { Ephemeral, Json, Modal, SlackMessage, SlackState } from './slack-state.ts';

/** Told of what the app does, just after it. */
export interface AppWatch {
  posted(channel: string, message: SlackMessage): void;
  updated(channel: string, message: SlackMessage): void;
  /** Somebody was sent a direct message. */
  notified(shown: Ephemeral): void;
  /** Something was shown to one person by itself, not in answer to what they did. */
  shown(ephemeral: Ephemeral): void;
  /** Something stands where one person alone reads it, however it came there. */
  read(ephemeral: Ephemeral): void;
  /** A modal was opened, or shows something else. */
  modal(modal: Modal): void;
  reacted(channel: string, message: SlackMessage, change: { name: string; added: boolean }): void;
}

/** One call of a method: its arguments as text, as Slack gets them. */
export type ApiArguments = Record<string, string>;

export type Method = (args: ApiArguments, state: SlackState, watch: AppWatch) => Json;

/** A refusal in Slack's words. */
export class Refused extends Error {}
