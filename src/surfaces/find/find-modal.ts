import type { App, GlobalShortcut, ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import { failureOf } from '../../slack/index.ts';
import { answer, askerOf } from '../kit/answer.ts';
import { NOWHERE } from '../kit/app-home.ts';
import { asFilter } from '../kit/commands.ts';
import type { View } from '../kit/layout.ts';
import { inModalOf } from '../kit/modals.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { findFiles } from './find-files.ts';
import {
  FIND_FILES,
  findModal,
  SEARCH_NOT_OPENED,
  SEARCHING,
  WORDS_FIELD,
} from './find-modal-view.ts';

/** Opens the modal of “Find files”; returns what to say if Slack refuses. */
export async function openFind(
  { triggerId = '' }: { triggerId?: string | undefined },
  { workspace, logger }: SurfaceContext,
): Promise<View | null> {
  const opening = workspace.openModal(triggerId, findModal({ words: '', found: null }));
  const error = await failureOf(opening);
  if (error) logger.warn({ error }, 'The search could not be opened');
  return error ? SEARCH_NOT_OPENED : null;
}

/** Handles “Find files”: opens the modal, and shows in it what is found. */
export function listenForFindModal(app: App, context: SurfaceContext): void {
  const { inBackground } = context;
  const called = { type: 'shortcut' as const, callback_id: FIND_FILES };
  app.shortcut<GlobalShortcut>(called, async ({ ack, shortcut }) => {
    await ack();
    await openFind({ triggerId: shortcut.trigger_id }, context);
  });
  const sent = { type: 'view_submission' as const, callback_id: FIND_FILES };
  app.view<ViewSubmitAction>(sent, async ({ ack, body, view }) => {
    const words = wordsOf(view.state);
    const modalOf = (found: Parameters<typeof findModal>[0]['found']) =>
      findModal({ words, found });
    // Slack waits 3 s, and a search may take longer.
    await ack({ response_action: 'update', view: modalOf(SEARCHING) });
    const asker = askerOf(body, NOWHERE);
    const reply = { asker, respond: inModalOf(view.id, modalOf, context), doing: 'list' as const };
    inBackground(
      answer(reply, context, (asked) => findFiles(asked, { words, kind: null, page: 1 }, context)),
    );
  });
}

const typed = z.object({
  values: z.object({ [WORDS_FIELD]: z.object({ [WORDS_FIELD]: z.object({ value: z.string() }) }) }),
});

/** Returns the words of a sent modal; none if the field is empty. */
function wordsOf(state: unknown): string {
  const { data } = typed.safeParse(state);
  return asFilter(data?.values[WORDS_FIELD]?.[WORDS_FIELD]?.value.trim() ?? '');
}
