import { type Asking, answered } from '../slack/response-urls.ts';
import { type Ephemeral, isDirect, type Json, type Modal } from '../slack/slack-state.ts';
import { inModal } from '../slack/views.ts';

/** A form that somebody has sent; `folder` null: a new one, or one that only the app knows. */
export interface SentForm {
  modal: Modal;
  asking: Asking & { readonly acknowledged: boolean };
  folder: number | null;
}

/** Forms that were sent: one of the things that may answer them must. */
export interface FormAnswers {
  sent(form: SentForm): void;
  /** A modal shows something else; returns the forms that were sent in it, the oldest first. */
  shows(modal: Modal): SentForm[];
  /** Somebody reads this elsewhere, after they sent such a form. */
  told(shown: Ephemeral, isOf: (form: SentForm) => boolean): void;
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
  };
}

const CHECKING = /Checking the folder( and the files)?…/;

/** Whether a modal says that what was sent is being looked at. */
export function isChecking({ view }: Modal): boolean {
  return CHECKING.test(JSON.stringify((view['blocks'] ?? []) as Json[]));
}

/** Whether who asked reads it in the channel, or where that is named, as direct messages are by what they are. */
export function isToldTo({ user, channel }: Asking, shown: Ephemeral): boolean {
  const name = isDirect({ id: channel }) ? 'Direct messages' : channel;
  const isAbout = shown.channel === channel || JSON.stringify(shown.blocks).includes(name);
  return shown.user === user && isAbout;
}
