import type { Emulator } from '../emulator.ts';
import { withIdentifiers } from '../interactions/block-elements.ts';
import type { Trigger, Triggers } from '../interactions/triggers.ts';
import { APP } from '../people.ts';
import type { Screens } from '../screens.ts';
import {
  type Json,
  objectOf,
  objectsOf,
  refusal,
  type SlackAnswer,
  type SlackView,
  stringOf,
} from '../slack-shapes.ts';
import type { ApiMethods, ApiRequest } from './api-method.ts';

interface ViewCallParts {
  emulator: Emulator;
  triggers: Triggers;
  screens: Screens;
}

/** The `views.*` methods, and the view changes that the app's response to a submission requests. */
export interface ViewCalls {
  methods: ApiMethods;
  replaceTop(userId: string, view: Json): Promise<SlackAnswer>;
  pushOn(userId: string, view: Json): Promise<SlackAnswer>;
}

export function createViewCalls(parts: ViewCallParts): ViewCalls {
  const { screens } = parts;
  const topOf = (userId: string) => screens.stack(userId).at(-1)?.id;
  return {
    methods: {
      'views.open': (request) => open(parts, request),
      'views.push': (request) => open(parts, request),
      'views.update': ({ args }) => update(parts, args),
      'views.publish': (request) => publish(parts, request),
    },
    replaceTop: (userId, view) => update(parts, { view_id: topOf(userId), view }),
    pushOn: (userId, view) =>
      place(parts, 'views.push', { trigger: { userId, viewId: topOf(userId) }, view }),
  };
}

async function open(parts: ViewCallParts, { method, args }: ApiRequest): Promise<SlackAnswer> {
  const trigger = parts.triggers.take(stringOf(args, 'trigger_id'));
  if (typeof trigger === 'string') return refusal(trigger);
  return place(parts, method, { trigger, view: objectOf(args, 'view') ?? {} });
}

// The emulator accepts only its own triggers, so this asks it for one.
async function place(
  { emulator, screens }: ViewCallParts,
  method: string,
  { trigger, view }: { trigger: Trigger; view: Json },
): Promise<SlackAnswer> {
  const { userId, viewId } = trigger;
  const asked = { user_id: userId, ...(viewId ? { view_id: viewId } : {}) };
  const own = await emulator.call('views.generateTriggerId', asked, APP.account);
  const args = { trigger_id: own['trigger_id'], view: completed(view) };
  const answer = await emulator.call(method, args, APP.account);
  const made = viewIn(answer);
  if (made) screens.show(userId, made, method === 'views.push' ? 'on top' : 'alone');
  return answer;
}

async function update({ emulator, screens }: ViewCallParts, args: Json): Promise<SlackAnswer> {
  const viewId = stringOf(args, 'view_id');
  if (viewId && !screens.find(viewId)) return refusal('not_found');
  const query = { ...args, view: completed(objectOf(args, 'view') ?? {}) };
  const answer = await emulator.call('views.update', query, APP.account);
  const made = viewIn(answer);
  if (made) screens.replace(made);
  return answer;
}

async function publish({ emulator, screens }: ViewCallParts, { args, account }: ApiRequest) {
  const query = { ...args, view: completed(objectOf(args, 'view') ?? {}) };
  const answer = await emulator.call('views.publish', query, account);
  const made = viewIn(answer);
  if (made) screens.setHome(stringOf(args, 'user_id'), made);
  return answer;
}

function viewIn(answer: SlackAnswer): SlackView | undefined {
  return objectOf(answer, 'view') as SlackView | undefined;
}

function completed(view: Json): Json {
  return { ...view, blocks: withIdentifiers(objectsOf(view, 'blocks') ?? []) };
}
