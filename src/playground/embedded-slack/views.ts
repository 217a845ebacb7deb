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

/** What a trigger was issued for. */
export interface Trigger {
  userId: string;
  /** The view in which the user acted, if any; `views.push` opens the new view on top of it. */
  viewId?: string | undefined;
}

/** The app's modals and Home tabs: what each user has open, and the `views.*` methods. */
export interface Views {
  methods: ApiMethods;
  /**
   * Returns an identifier with which the app can open one view within 3 s
   * (https://docs.slack.dev/interactivity/handling-user-interaction).
   */
  issueTrigger(trigger: Trigger): string;
  /** Returns the user's open modals, the top one last. */
  stack(userId: string): readonly SlackView[];
  home(userId: string): SlackView | undefined;
  find(viewId: string): SlackView | undefined;
  /** Opens a modal on top of the user's others, as the app's response to a submission asks. */
  pushOn(userId: string, view: Json): Promise<SlackResponse>;
  replaceTop(userId: string, view: Json): Promise<SlackResponse>;
  close(userId: string, which: 'top' | 'all'): void;
}

interface ViewsOptions {
  clock: Clock;
  random: Random;
  changes: Changes;
  emulator: Emulator;
}

export function createViews({ clock, random, changes, emulator }: ViewsOptions): Views {
  const triggers = createTriggers(clock, random);
  const stacks = new Map<string, readonly SlackView[]>();
  const homes = new Map<string, SlackView>();

  const stack = (userId: string) => stacks.get(userId) ?? [];
  const find = (viewId: string) =>
    [...[...stacks.values()].flat(), ...homes.values()].find(({ id }) => id === viewId);
  const setStack = (userId: string, views: readonly SlackView[]) => {
    stacks.set(userId, views);
    changes.notify('view');
  };
  const setHome = (userId: string, view: SlackView) => {
    homes.set(userId, view);
    changes.notify('view');
  };

  // The emulator accepts only triggers of its own.
  const open = async (method: string, { userId, viewId }: Trigger, view: Json) => {
    const query = { user_id: userId, ...(viewId ? { view_id: viewId } : {}) };
    const { trigger_id } = await emulator.call('views.generateTriggerId', query, APP.account);
    const args = withViewIds({ trigger_id, view });
    const response = await emulator.call(method, args, APP.account);
    const opened = viewIn(response);
    const below = method === 'views.push' ? stack(userId) : [];
    if (opened) setStack(userId, [...below, opened]);
    return response;
  };
  const openByTrigger: ApiMethod = async ({ method, args }) => {
    const trigger = triggers.take(stringOf(args, 'trigger_id'));
    if (typeof trigger === 'string') return errorResponse(trigger);
    return open(method, trigger, objectOf(args, 'view') ?? {});
  };
  const replace = (view: SlackView) => {
    const isSame = ({ id }: SlackView) => id === view.id;
    const owner = [...stacks].find(([, views]) => views.some(isSame))?.[0] ?? '';
    const views = stack(owner).map((one) => (isSame(one) ? view : one));
    if (owner) setStack(owner, views);
    const home = [...homes].find(([, one]) => isSame(one));
    if (home) setHome(home[0], view);
  };
  const update = async (args: Json) => {
    const viewId = stringOf(args, 'view_id');
    if (viewId && !find(viewId)) return errorResponse('not_found');
    const response = await emulator.call('views.update', withViewIds(args), APP.account);
    const updated = viewIn(response);
    if (updated) replace(updated);
    return response;
  };
  const topId = (userId: string) => stack(userId).at(-1)?.id;

  return {
    methods: {
      'views.open': openByTrigger,
      'views.push': openByTrigger,
      'views.update': ({ args }) => update(args),
      'views.publish': async (request) => {
        const response = await emulator.forward({ ...request, args: withViewIds(request.args) });
        const published = viewIn(response);
        if (published) setHome(stringOf(request.args, 'user_id'), published);
        return response;
      },
    },
    issueTrigger: triggers.issue,
    stack,
    home: (userId) => homes.get(userId),
    find,
    pushOn: (userId, view) => open('views.push', { userId, viewId: topId(userId) }, view),
    replaceTop: (userId, view) => update({ view_id: topId(userId), view }),
    close: (userId, which) => setStack(userId, which === 'all' ? [] : stack(userId).slice(0, -1)),
  };
}

function createTriggers(clock: Clock, random: Random) {
  const triggers = new Map<string, Trigger & { until: number; used: boolean }>();
  return {
    issue: (trigger: Trigger): string => {
      const now = clock.now();
      const id = `${now}.${Math.floor(now / 1000)}.${random.id().replaceAll('-', '')}`;
      triggers.set(id, { ...trigger, until: now + TRIGGER_LIFETIME_MS, used: false });
      return id;
    },
    /** Consumes a trigger; returns Slack's error code if it is unknown, used or expired. */
    take: (id: string): Trigger | string => {
      const trigger = triggers.get(id);
      if (!trigger) return 'invalid_trigger_id';
      if (trigger.used) return 'exchanged_trigger_id';
      if (clock.now() >= trigger.until) return 'expired_trigger_id';
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
