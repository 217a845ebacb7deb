import type { Directory } from '../directory.ts';
import type { Screens } from '../screens.ts';
import { isJson, type Json, objectOf, type SlackView, stringOf } from '../slack-shapes.ts';
import type { AppLine, Attempt } from '../to-app/app-line.ts';
import type { ViewCalls } from '../web-api/view-calls.ts';
import { actorOf } from './actor.ts';
import { ElementGone, elementsOf } from './block-elements.ts';
import { type Choice, stateValues } from './element-values.ts';
import type { Triggers } from './triggers.ts';

interface SubmitRequest {
  user: string;
  /** Typed text and choices, by `action_id`. */
  values?: Record<string, Choice>;
}

export interface Submission extends Attempt {
  /** Error messages by input block, if the app rejected the form, which then stays open. */
  errors: Record<string, string>;
}

interface SubmissionParts {
  directory: Directory;
  triggers: Triggers;
  screens: Screens;
  viewCalls: ViewCalls;
  line: AppLine;
}

/**
 * A person's actions on the top modal
 * (https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload).
 */
export interface Submissions {
  submitView(request: SubmitRequest): Promise<Submission>;
  /** Closes the top modal, or all; notifies the app if the top one has `notify_on_close`. */
  closeView(request: { user: string; all?: boolean }): Promise<Attempt | undefined>;
}

export function createSubmissions(parts: SubmissionParts): Submissions {
  return {
    submitView: (request) => submit(parts, request),
    closeView: (request) => close(parts, request),
  };
}

async function submit(parts: SubmissionParts, request: SubmitRequest): Promise<Submission> {
  const { directory, triggers, line } = parts;
  const userId = directory.userId(request.user);
  const view = topOf(parts, userId);
  const values = request.values ?? {};
  rejectUnknown(view, values);
  const payload = {
    type: 'view_submission',
    ...actorOf(directory, request.user),
    trigger_id: triggers.issue({ userId, viewId: view.id }),
    view: { ...view, state: { values: stateValues(view.blocks, values) } },
    response_urls: [],
  };
  const attempt = await line.send({ type: 'interactive', payload });
  if (attempt.failure) return { ...attempt, errors: {} };
  return { ...attempt, errors: await follow(parts, userId, attempt.body) };
}

async function close(
  parts: SubmissionParts,
  { user, all = false }: { user: string; all?: boolean },
): Promise<Attempt | undefined> {
  const userId = parts.directory.userId(user);
  const view = topOf(parts, userId);
  parts.screens.close(userId, all ? 'all' : 'top');
  if (!view.notify_on_close) return undefined;
  const actor = actorOf(parts.directory, user);
  const payload = { type: 'view_closed', ...actor, view, is_cleared: all };
  return parts.line.send({ type: 'interactive', payload });
}

// Applies the app's response; resolves with the errors that keep the form open.
async function follow(
  { screens, viewCalls }: SubmissionParts,
  userId: string,
  body: unknown,
): Promise<Record<string, string>> {
  const answer = isJson(body) ? body : {};
  const action = stringOf(answer, 'response_action');
  if (action === 'errors') return (objectOf(answer, 'errors') ?? {}) as Record<string, string>;
  const view = objectOf(answer, 'view') ?? {};
  if (action === 'update') await viewCalls.replaceTop(userId, view);
  else if (action === 'push') await viewCalls.pushOn(userId, view);
  else screens.close(userId, action === 'clear' ? 'all' : 'top');
  return {};
}

function topOf({ screens }: SubmissionParts, userId: string): SlackView {
  const view = screens.stack(userId).at(-1);
  if (view) return view;
  throw new ElementGone(`No view is open for ${userId}`);
}

function rejectUnknown(view: SlackView, values: Json): void {
  const known = elementsOf(view.blocks).map(({ element }) => element['action_id']);
  const strangers = Object.keys(values).filter((action) => !known.includes(action));
  if (strangers.length === 0) return;
  throw new ElementGone(`The view has no ${strangers.join(', ')}; it has ${known.join(', ')}`);
}
