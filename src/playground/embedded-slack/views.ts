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
/** How many modal views a person may have open, one above the other. */
const MAX_OPEN = 3;

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
  // Each user's open modal views, the lowest first.
  const modals = new Map<string, SlackView[]>();
  const homes = new Map<string, SlackView[]>();

  const open = (userId: string) => modals.get(userId) ?? [];
  const find = (viewId: string) =>
    [...modals.values(), ...homes.values()].flat().find(({ id }) => id === viewId);
  const put = (views: Map<string, SlackView[]>, userId: string, stack: SlackView[]) => {
    views.set(userId, stack);
    changes.notify('view');
  };
  // Opens a view above those `below`.
  const openAbove = async (userId: string, below: SlackView[], args: Json) => {
    if (below.length >= MAX_OPEN) return errorResponse('push_limit_reached');
    // The emulator accepts only triggers of its own, and counts closed views as pushed.
    const query = { user_id: userId };
    const { trigger_id } = await emulator.call('views.generateTriggerId', query, APP.account);
    const given = withViewIds({ ...args, trigger_id });
    const response = await emulator.call('views.open', given, APP.account);
    const opened = viewIn(response);
    if (!opened) return response;
    const place = {
      root_view_id: below[0]?.id ?? opened.id,
      previous_view_id: below.at(-1)?.id ?? null,
    };
    const view = { ...opened, ...place };
    put(modals, userId, [...below, view]);
    return { ...response, view };
  };
  const openByTrigger = async (args: Json, how: 'open' | 'push') => {
    const trigger = triggers.take(stringOf(args, 'trigger_id'));
    if ('error' in trigger) return errorResponse(trigger.error);
    const { userId } = trigger;
    const below = how === 'push' ? open(userId) : [];
    if (how === 'push' && below.length === 0) return errorResponse('not_found');
    return openAbove(userId, below, args);
  };
  const update = async (args: Json) => {
    const viewId = stringOf(args, 'view_id');
    if (viewId && !find(viewId)) return errorResponse('not_found');
    const response = await emulator.call('views.update', withViewIds(args), APP.account);
    const updated = viewIn(response);
    if (!updated) return response;
    const { root_view_id, previous_view_id } = find(updated.id) ?? updated;
    const view = { ...updated, root_view_id, previous_view_id };
    for (const views of [modals, homes]) {
      for (const [userId, stack] of views) {
        const at = stack.findIndex(({ id }) => id === view.id);
        if (at >= 0) put(views, userId, stack.with(at, view));
      }
    }
    return { ...response, view };
  };

  const publish: ApiMethod = async (request) => {
    const response = await emulator.forward({ ...request, args: withViewIds(request.args) });
    const view = viewIn(response);
    if (view) put(homes, stringOf(request.args, 'user_id'), [view]);
    return response;
  };
  const methods: ApiMethods = {
    'views.open': ({ args }) => openByTrigger(args, 'open'),
    'views.push': ({ args }) => openByTrigger(args, 'push'),
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
    /** Returns the user's modal views, the topmost last. */
    modals: open,
    home: (userId: string) => homes.get(userId)?.[0],
    find,
    /** Replaces the topmost view, as the app's response to a submission asks. */
    replace: (userId: string, view: Json) => update({ view_id: open(userId).at(-1)?.id, view }),
    /** Opens a view above the topmost, as the app's response to a submission asks. */
    push: (userId: string, view: Json) => openAbove(userId, open(userId), { view }),
    /** Closes the topmost view, or all. */
    close: (userId: string, { all }: { all: boolean }): void =>
      put(modals, userId, all ? [] : open(userId).slice(0, -1)),
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
