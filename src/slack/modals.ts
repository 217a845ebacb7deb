import type { types, webApi } from '@slack/bolt';
import { callSlack } from './web-api.ts';

/** A modal that somebody has open; `hash` changes with what it shows. */
export interface OpenModal {
  id: string;
  hash?: string | undefined;
}

/** What is done with modals, each one call that rejects with SlackCallError. */
export function createModals({ views }: webApi.WebClient) {
  return {
    /**
     * Opens a modal by the trigger of a command or a press, which is good once and for 3 s
     * (https://docs.slack.dev/reference/methods/views.open).
     */
    openModal: async (triggerId: string, view: types.ModalView): Promise<OpenModal> => {
      const asked = { trigger_id: triggerId, view };
      const answer = await callSlack('views.open', () => views.open(asked));
      return { id: answer.view?.id ?? '', hash: answer.view?.hash };
    },
    /**
     * Changes what a modal shows: refused with `not_found` once it is closed, and with `hash_conflict`
     * where it has changed since.
     */
    updateModal: async ({ id, hash }: OpenModal, view: types.ModalView): Promise<void> => {
      const unchanged = hash === undefined ? {} : { hash };
      await callSlack('views.update', () => views.update({ view_id: id, ...unchanged, view }));
    },
  };
}
