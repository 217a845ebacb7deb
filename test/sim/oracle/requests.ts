import { virtualNow } from '../kernel/virtual-time.ts';
import { inModal, recordResponse } from '../slack/interactions.ts';
import {
  type Ephemeral,
  isDirect,
  type Modal,
  type SlackState,
  type UserRequest,
} from '../slack/state.ts';
import { LEFT, NONE_LEFT } from './app-words.ts';

/** What the parts of the oracle share. */
export interface OracleTools {
  state(): SlackState;
  /** Returns the folders that a text may name. */
  foldersNamed(text: string): number[];
  fail(property: string, what: string): void;
}

/** A form that somebody has submitted; `folder`: null if it is new or only the app knows it. */
export interface SubmittedForm {
  modal: Modal;
  request: UserRequest;
  folder: number | null;
  /** What is ticked of a channel's settings; null: it is another form. */
  ticked: readonly string[] | null;
}

/** Returns submitted forms, each of which must get a response in one of several places. */
export function createFormResponses() {
  const submitted: SubmittedForm[] = [];
  return {
    add: (form: SubmittedForm) => void submitted.push(form),
    /** A modal changed what it shows; returns the forms that were submitted in it, oldest first. */
    modalChanged: (modal: Modal): SubmittedForm[] => {
      const own = submitted.filter((form) => form.modal === modal);
      for (const { request } of own)
        if (request.responses.length === 0 && !isChecking(modal))
          recordResponse(request, inModal(modal));
      return own;
    },
    /** Notes a message that somebody reads elsewhere after submitting such a form. */
    messageShown: (shown: Ephemeral, isOf: (form: SubmittedForm) => boolean): void => {
      for (const form of submitted) if (isOf(form)) recordResponse(form.request, shown);
    },
    /** Whether somebody closed the form after submitting it. */
    isClosed: (request: UserRequest): boolean =>
      submitted.some((form) => form.request === request && !form.modal.isOpen),
  };
}

const CHECKING = /Checking the folder( and the files)?…|Searching your channels…/;

/** Whether a modal says that its submission is being checked. */
export function isChecking({ view }: Modal): boolean {
  return CHECKING.test(JSON.stringify(view['blocks'] ?? []));
}

/**
 * Whether the person who asked reads it in that channel or in a message that names the channel;
 * direct messages are named by their kind.
 */
export function isResponseTo({ user, channel }: UserRequest, shown: Ephemeral): boolean {
  const name = isDirect({ id: channel }) ? /direct message/i : new RegExp(channel);
  const isAbout = shown.channel === channel || name.test(JSON.stringify(shown.blocks));
  return shown.user === user && isAbout;
}

/** A press of any button. */
export interface Press {
  actionId: string;
  value: string;
  user: string;
  channel: string;
  /** What the menu with the choice says of all its choices. */
  menu: string;
  /** What is read around the button. */
  words: string;
}

const FILE_BUTTONS = new Set(['file_parked', 'file_share']);
const SKIP_BUTTONS = new Set(['attention_skip', 'leave_waiting']);

/** Notes the presses of buttons by which people permit deletes, or leave files in Slack. */
export function createPresses() {
  /** The presses of Skip with their responses: this many files of a channel stay in Slack. */
  const skips: { channel: string; at: number; count: number }[] = [];
  const skippedIn = new Set<string>();
  const filedAfterAll: { channel: string; at: number }[] = [];
  return {
    /** The presses of Delete, and whether that person has the right to it. */
    deletes: [] as { value: string; user: string; allowed: boolean }[],
    /** The people who agreed to delete the filed copies of what was deleted in Slack. */
    copyDeletes: [] as Omit<Press, 'actionId' | 'menu' | 'words'>[],
    /** The people who were asked that, with their buttons' value and what they read. */
    questions: [] as (Omit<Press, 'actionId' | 'menu' | 'words'> & { text: string })[],
    /** Notes a press that may leave a channel's files in Slack, or have them filed after all. */
    noteSkip: (actionId: string, request: UserRequest): void => {
      const channel = request.about ?? request.channel;
      if (FILE_BUTTONS.has(actionId)) filedAfterAll.push({ channel, at: virtualNow() });
      if (SKIP_BUTTONS.has(actionId)) skippedIn.add(channel);
      if (actionId === 'attention_skip')
        request.onResponse = ({ blocks }: Ephemeral) => {
          const text = JSON.stringify(blocks);
          const [, count] = LEFT.exec(text) ?? [];
          if (count) skips.push({ channel, at: virtualNow(), count: Number(count) });
          // Later content of the message may come from another press.
          if (count || NONE_LEFT.test(text)) delete request.onResponse;
        };
    },
    /** Returns whether somebody pressed to leave files of a channel in Slack. */
    mayBeSkipped: (channel: string): boolean => skippedIn.has(channel),
    /** Returns the skips after which nobody had the channel's files filed after all. */
    skips: () =>
      skips.filter(
        ({ channel, at }) => !filedAfterAll.some((one) => one.channel === channel && one.at >= at),
      ),
  };
}
