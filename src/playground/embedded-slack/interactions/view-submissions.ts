import type { Attempt } from '../app-connection/app-connection.ts';
import { type Choice, ElementGone, elementsOf, stateValues } from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import { isJson, type Json, objectOf, type SlackView, stringOf } from '../slack-types.ts';
import { userFields } from './interaction-source.ts';

interface SubmitRequest {
  user: string;
  /** Typed text and choices, by `action_id`. */
  values?: Record<string, Choice>;
}

interface SubmissionResult extends Attempt {
  /** Error messages by input block, if the app rejected the form, which then stays open. */
  errors: Record<string, string>;
}

/**
 * A user's actions on the modal
 * (https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload).
 */
export interface ViewSubmissions {
  submitView(request: SubmitRequest): Promise<SubmissionResult>;
  /**
   * Closes the topmost view with its own button, or with `all` the whole modal, as its cross does.
   */
  closeView(request: { user: string; all?: boolean }): void;
}

export function createViewSubmissions(context: SlackContext): ViewSubmissions {
  const { app, directory, views } = context;
  return {
    submitView: async ({ user, values = {} }) => {
      const userId = directory.userId(user);
      const view = modalOf(context, userId);
      rejectUnknown(view, values);
      const payload = {
        type: 'view_submission',
        ...userFields(directory, user),
        trigger_id: views.issueTrigger(userId),
        view: { ...view, state: { values: stateValues(view.blocks, values) } },
        response_urls: [],
      };
      const attempt = await app.send({ type: 'interactive', payload });
      if (attempt.failure) return { ...attempt, errors: {} };
      return { ...attempt, errors: await applyResponse(context, userId, attempt.body) };
    },
    closeView: ({ user, all = false }) => {
      const userId = directory.userId(user);
      const isWhole = views.modals(userId).at(-1)?.['clear_on_close'] === true;
      views.close(userId, { all: all || isWhole });
    },
  };
}

// Applies the app's response to a submission; resolves with the errors that keep the form open.
async function applyResponse(
  { views }: SlackContext,
  userId: string,
  body: unknown,
): Promise<Record<string, string>> {
  const response = isJson(body) ? body : {};
  const action = stringOf(response, 'response_action');
  if (action === 'errors') return (objectOf(response, 'errors') ?? {}) as Record<string, string>;
  const view = objectOf(response, 'view') ?? {};
  if (action === 'update') await views.replace(userId, view);
  else if (action === 'push') await views.push(userId, view);
  else views.close(userId, { all: action === 'clear' });
  return {};
}

function modalOf({ views }: SlackContext, userId: string): SlackView {
  const view = views.modals(userId).at(-1);
  if (view) return view;
  throw new ElementGone(`No view is open for ${userId}`);
}

function rejectUnknown(view: SlackView, values: Json): void {
  const known = elementsOf(view.blocks).map(({ element }) => element['action_id']);
  const unknown = Object.keys(values).filter((action) => !known.includes(action));
  if (unknown.length === 0) return;
  throw new ElementGone(`The view has no ${unknown.join(', ')}; it has ${known.join(', ')}`);
}
