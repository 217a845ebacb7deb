import type { Clock, Random } from '../../base/index.ts';
import { withIdentifiers } from './block-kit.ts';
import type { Changes } from './changes.ts';
import type { Emulator } from './emulator.ts';
import {
  errorResponse,
  type Json,
  objectOf,
  objectsOf,
  type SlackResponse,
  type SlackView,
  stringOf,
} from './slack-types.ts';
import type { ApiMethod, ApiMethods } from './web-api/api-method.ts';
import { APP } from './workspace-seed.ts';

const TRIGGER_LIFETIME_MS = 3_000;

export type Views = ReturnType<typeof createViews>;

interface ViewsOptions {
  clock: Clock;
  random: Random;
  changes: Changes;
  emulator: Emulator;
}

/** The app's modals and Home tabs: what each user has open, and the `views.*` methods. */
export function createViews({ clock, random, changes, emulator }: ViewsOptions) {
  const triggers = createTriggers(clock, random);
  const modals = new Map<string, SlackView>();
  const homes = new Map<string, SlackView>();

  const find = (viewId: string) =>
    [...modals.values(), ...homes.values()].find(({ id }) => id === viewId);
  const put = (views: Map<string, SlackView>, userId: string, view: SlackView | undefined) => {
    if (!view) return;
    views.set(userId, view);
    changes.notify('view');
  };
  const open: ApiMethod = async ({ args }) => {
    const trigger = triggers.take(stringOf(args, 'trigger_id'));
    if ('error' in trigger) return errorResponse(trigger.error);
    const { userId } = trigger;
    // The emulator accepts only triggers of its own.
    const query = { user_id: userId };
    const { trigger_id } = await emulator.call('views.generateTriggerId', query, APP.account);
    const given = withViewIds({ ...args, trigger_id });
    const response = await emulator.call('views.open', given, APP.account);
    put(modals, userId, viewIn(response));
    return response;
  };
  const update = async (args: Json) => {
    const viewId = stringOf(args, 'view_id');
    if (viewId && !find(viewId)) return errorResponse('not_found');
    const response = await emulator.call('views.update', withViewIds(args), APP.account);
    const updated = viewIn(response);
    for (const views of [modals, homes])
      for (const [userId, { id }] of views) if (id === updated?.id) put(views, userId, updated);
    return response;
  };

  const publish: ApiMethod = async (request) => {
    const response = await emulator.forward({ ...request, args: withViewIds(request.args) });
    put(homes, stringOf(request.args, 'user_id'), viewIn(response));
    return response;
  };
  const methods: ApiMethods = {
    'views.open': open,
    'views.update': ({ args }) => update(args),
    'views.publish': publish,
  };

  return {
    methods,
    /**
     * Returns an identifier with which the app can open one view within 3 s
     * (https://docs.slack.dev/interactivity/handling-user-interaction).
     */
    issueTrigger: triggers.issue,
    modal: (userId: string) => modals.get(userId),
    home: (userId: string) => homes.get(userId),
    find,
    /** Replaces the user's modal, as the app's response to a submission asks. */
    replace: (userId: string, view: Json) => update({ view_id: modals.get(userId)?.id, view }),
    close: (userId: string): void => {
      modals.delete(userId);
      changes.notify('view');
    },
  };
}

function createTriggers(clock: Clock, random: Random) {
  const triggers = new Map<string, { userId: string; until: number; used: boolean }>();
  return {
    issue: (userId: string): string => {
      const now = clock.now();
      const id = `${now}.${Math.floor(now / 1000)}.${random.id().replaceAll('-', '')}`;
      triggers.set(id, { userId, until: now + TRIGGER_LIFETIME_MS, used: false });
      return id;
    },
    /** Consumes a trigger; returns Slack's error code if it is unknown, used or expired. */
    take: (id: string): { userId: string } | { error: string } => {
      const trigger = triggers.get(id);
      if (!trigger) return { error: 'invalid_trigger_id' };
      if (trigger.used) return { error: 'exchanged_trigger_id' };
      if (clock.now() >= trigger.until) return { error: 'expired_trigger_id' };
      trigger.used = true;
      return trigger;
    },
  };
}

function viewIn(response: SlackResponse): SlackView | undefined {
  return objectOf(response, 'view') as SlackView | undefined;
}

function withViewIds(args: Json): Json {
  const view = objectOf(args, 'view') ?? {};
  return { ...args, view: { ...view, blocks: withIdentifiers(objectsOf(view, 'blocks') ?? []) } };
}
