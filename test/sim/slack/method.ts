import type { Ephemeral, Json, Modal, SlackMessage, SlackState } from './slack-state.ts';

/** Callbacks for what the app does, each called just after it. */
export interface AppWatch {
  posted(channel: string, message: SlackMessage): void;
  updated(channel: string, message: SlackMessage): void;
  /** The app sent somebody a direct message. */
  notified(shown: Ephemeral): void;
  /** The app showed something to one person that is not a response to what they did. */
  shown(ephemeral: Ephemeral): void;
  /** Something is visible where only one person reads it, however it got there. */
  read(ephemeral: Ephemeral): void;
  /** A modal was opened, or shows something else. */
  modal(modal: Modal): void;
  reacted(channel: string, message: SlackMessage, change: { name: string; added: boolean }): void;
}

/** The arguments of one method call, as text, as Slack receives them. */
export type ApiArguments = Record<string, string>;

export type Method = (args: ApiArguments, state: SlackState, watch: AppWatch) => Json;

/** A refusal with Slack's error code. */
export class Refused extends Error {}
