import { withIdentifiers } from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import type { Trigger } from '../open-views.ts';
import {
  errorResponse,
  type Json,
  objectOf,
  objectsOf,
  type SlackResponse,
  type SlackView,
  stringOf,
} from '../slack-types.ts';
import { APP } from '../workspace-seed.ts';
import type { ApiMethods, ApiRequest } from './api-method.ts';

/** The `views.*` methods: the emulator's, with triggers, identifiers, and a record of what is open. */
export function viewMethods(context: SlackContext): ApiMethods {
  return {
    'views.open': (request) => open(context, request),
    'views.push': (request) => open(context, request),
    'views.update': ({ args }) => updateView(context, args),
    'views.publish': (request) => publish(context, request),
  };
}

async function open(context: SlackContext, { method, args }: ApiRequest): Promise<SlackResponse> {
  const trigger = context.views.takeTrigger(stringOf(args, 'trigger_id'));
  if (typeof trigger === 'string') return errorResponse(trigger);
  return openView(context, method, { trigger, view: objectOf(args, 'view') ?? {} });
}

/** Opens a view by `views.open` or `views.push`. The emulator accepts only triggers of its own. */
export async function openView(
  { emulator, views }: SlackContext,
  method: string,
  { trigger, view }: { trigger: Trigger; view: Json },
): Promise<SlackResponse> {
  const { userId, viewId } = trigger;
  const query = { user_id: userId, ...(viewId ? { view_id: viewId } : {}) };
  const { trigger_id } = await emulator.call('views.generateTriggerId', query, APP.account);
  const args = { trigger_id, view: completed(view) };
  const response = await emulator.call(method, args, APP.account);
  const opened = viewIn(response);
  if (opened) views.show(userId, opened, method === 'views.push' ? 'on top' : 'alone');
  return response;
}

export async function updateView(
  { emulator, views }: SlackContext,
  args: Json,
): Promise<SlackResponse> {
  const viewId = stringOf(args, 'view_id');
  if (viewId && !views.find(viewId)) return errorResponse('not_found');
  const query = { ...args, view: completed(objectOf(args, 'view') ?? {}) };
  const response = await emulator.call('views.update', query, APP.account);
  const updated = viewIn(response);
  if (updated) views.replace(updated);
  return response;
}

async function publish({ emulator, views }: SlackContext, { args, account }: ApiRequest) {
  const query = { ...args, view: completed(objectOf(args, 'view') ?? {}) };
  const response = await emulator.call('views.publish', query, account);
  const published = viewIn(response);
  if (published) views.setHome(stringOf(args, 'user_id'), published);
  return response;
}

function viewIn(response: SlackResponse): SlackView | undefined {
  return objectOf(response, 'view') as SlackView | undefined;
}

function completed(view: Json): Json {
  return { ...view, blocks: withIdentifiers(objectsOf(view, 'blocks') ?? []) };
}
