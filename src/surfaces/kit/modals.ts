import type { types } from '@slack/bolt';
import { z } from 'zod';
import { unlessRefused } from '../../slack/index.ts';
import type { AnswerOptions } from './answer.ts';
import { parseObject } from './claims.ts';
import { plain, type View } from './layout.ts';
import type { SurfaceContext } from './surface-context.ts';

/** The conversation that a modal is about, in its `private_metadata`. */
export const modalPlace = z.object({
  /** Slack's identifier of a channel, a direct message or a group message. */
  channel: z.string().regex(/^[CDG][A-Z0-9]+$/),
  /** Whether the modal was opened outside it. */
  isElsewhere: z.boolean().default(false),
});

/** Reads the conversation from any modal; null when it carries none. */
export function placeOf(modal: { private_metadata: string }): z.infer<typeof modalPlace> | null {
  return modalPlace.safeParse(parseObject(modal.private_metadata)).data ?? null;
}

/** What identifies a modal that shows an answer; its `title` has at most 24 characters. */
type AnswerModal = Required<Pick<types.ModalView, 'private_metadata'>> & { title: string };

function answerModal({ title, private_metadata }: AnswerModal, { blocks }: View): types.ModalView {
  const labels = { title: plain(title, 24), close: plain('Close', 24) };
  return { type: 'modal', ...labels, private_metadata, blocks };
}

/** A `respond` that opens a modal about a channel, and answers by `otherwise` where it cannot. */
export function inNewModal(
  { title, channel, triggerId }: { title: string; channel: string; triggerId: string },
  otherwise: AnswerOptions['respond'],
  { workspace }: SurfaceContext,
): AnswerOptions['respond'] {
  const modal = { title, private_metadata: JSON.stringify({ channel }) };
  return (answer) =>
    workspace.openModal(triggerId, answerModal(modal, answer)).catch(() => otherwise(answer));
}

/** A `respond` that replaces the content of an open modal, which stays about its channel. */
export function inOpenModal(
  {
    id,
    title,
    private_metadata,
  }: { id: string } & Pick<types.ModalView, 'title'> &
    Required<Pick<types.ModalView, 'private_metadata'>>,
  { workspace }: SurfaceContext,
): AnswerOptions['respond'] {
  const modal = { title: title.text, private_metadata };
  return (answer) => workspace.updateModal({ id }, answerModal(modal, answer));
}

/** A `respond` that replaces a modal by the one that shows the answer, unless it was closed. */
export function inModalOf(
  id: string,
  modalOf: (view: View) => types.ModalView,
  { workspace }: SurfaceContext,
): AnswerOptions['respond'] {
  return (view) => unlessRefused(workspace.updateModal({ id }, modalOf(view)), 'not_found');
}
