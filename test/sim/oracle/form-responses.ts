import { answered, inModal } from '../slack/interactions.ts';
import type { Asking } from '../slack/state.ts';
import { type Ephemeral, isDirect, type Json, type Modal } from '../slack/state.ts';

/**
 * A form that somebody has submitted; `folder` is null if it is new or if only the app knows it.
 */
export interface SentForm {
  modal: Modal;
  asking: Asking & { readonly acknowledged: boolean };
  folder: number | null;
}

/** Submitted forms, each of which must get a response in one of several places. */
interface FormAnswers {
  sent(form: SentForm): void;
  /** A modal changed what it shows; returns the forms that were submitted in it, oldest first. */
  shows(modal: Modal): SentForm[];
  /** Notes a message that somebody reads elsewhere after submitting such a form. */
  told(shown: Ephemeral, isOf: (form: SentForm) => boolean): void;
  /** Whether somebody closed the form after submitting it. */
  isClosed(asking: Asking): boolean;
}

export function createFormAnswers(): FormAnswers {
  const sent: SentForm[] = [];
  return {
    sent: (form) => void sent.push(form),
    shows: (modal) => {
      const own = sent.filter((form) => form.modal === modal);
      for (const { asking } of own)
        if (asking.answers.length === 0 && !isChecking(modal)) answered(asking, inModal(modal));
      return own;
    },
    told: (shown, isOf) => {
      for (const form of sent) if (isOf(form)) answered(form.asking, shown);
    },
    isClosed: (asking) => sent.some((form) => form.asking === asking && !form.modal.isOpen),
  };
}

const CHECKING = /Checking the folder( and the files)?…/;

/** Whether a modal says that its submission is being checked. */
export function isChecking({ view }: Modal): boolean {
  return CHECKING.test(JSON.stringify((view['blocks'] ?? []) as Json[]));
}

/**
 * Whether the person who asked reads it in that channel or in a message that names the channel;
 * direct messages are named by their kind.
 */
export function isToldTo({ user, channel }: Asking, shown: Ephemeral): boolean {
  const name = isDirect({ id: channel }) ? /direct message/i : new RegExp(channel);
  const isAbout = shown.channel === channel || name.test(JSON.stringify(shown.blocks));
  return shown.user === user && isAbout;
}
