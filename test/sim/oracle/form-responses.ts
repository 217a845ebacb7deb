import { inModal, recordResponse } from '../slack/interactions.ts';
import { type Ephemeral, isDirect, type Modal, type UserRequest } from '../slack/state.ts';

/** A form that somebody has submitted; `folder`: null if it is new or only the app knows it. */
export interface SubmittedForm {
  modal: Modal;
  request: UserRequest;
  folder: number | null;
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

const CHECKING = /Checking the folder( and the files)?…/;

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
