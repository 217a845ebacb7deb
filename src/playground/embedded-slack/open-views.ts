import type { Clock, Random } from '../../base/index.ts';
import type { Changes } from './changes.ts';
import type { SlackView } from './slack-types.ts';

const TRIGGER_LIFETIME_MS = 3_000;

/** What a trigger was issued for. */
export interface Trigger {
  userId: string;
  /** The view in which the user acted, if any; `views.push` opens the new view on top of it. */
  viewId?: string | undefined;
}

/** The views that each user has open: a stack of modals, the top one last, and the Home tab. */
export interface OpenViews {
  /**
   * Returns an identifier with which the app can open one view within 3 s
   * (https://docs.slack.dev/interactivity/handling-user-interaction).
   */
  issueTrigger(trigger: Trigger): string;
  /** Consumes a trigger; returns Slack's error code if it is unknown, used or expired. */
  takeTrigger(id: string): Trigger | string;
  stack(userId: string): readonly SlackView[];
  home(userId: string): SlackView | undefined;
  find(viewId: string): { view: SlackView; userId: string } | undefined;
  /** Shows a modal on top of the open ones, or in place of them. */
  show(userId: string, view: SlackView, how: 'on top' | 'alone'): void;
  setHome(userId: string, view: SlackView): void;
  /** Replaces the view that has the same identifier, if it is still open. */
  replace(view: SlackView): void;
  close(userId: string, how: 'top' | 'all'): void;
}

interface OpenViewsOptions {
  clock: Clock;
  random: Random;
  changes: Changes;
}

export function createOpenViews({ clock, random, changes }: OpenViewsOptions): OpenViews {
  const triggers = new Map<string, Trigger & { until: number; used: boolean }>();
  const stacks = new Map<string, SlackView[]>();
  const homes = new Map<string, SlackView>();

  const stack = (userId: string) => stacks.get(userId) ?? [];
  const setStack = (userId: string, views: SlackView[]) => {
    stacks.set(userId, views);
    changes.notify({ what: 'view' });
  };
  const setHome = (userId: string, view: SlackView) => {
    homes.set(userId, view);
    changes.notify({ what: 'view' });
  };
  const find: OpenViews['find'] = (viewId) => {
    const modals = [...stacks].flatMap(([userId, views]) =>
      views.map((view) => ({ userId, view })),
    );
    const home = [...homes].map(([userId, view]) => ({ userId, view }));
    return [...modals, ...home].find(({ view }) => view.id === viewId);
  };

  return {
    issueTrigger: (trigger) => {
      const now = clock.now();
      const id = `${now}.${Math.floor(now / 1000)}.${random.id().replaceAll('-', '')}`;
      triggers.set(id, { ...trigger, until: now + TRIGGER_LIFETIME_MS, used: false });
      return id;
    },
    takeTrigger: (id) => {
      const trigger = triggers.get(id);
      if (!trigger) return 'invalid_trigger_id';
      if (trigger.used) return 'exchanged_trigger_id';
      if (clock.now() >= trigger.until) return 'expired_trigger_id';
      trigger.used = true;
      return trigger;
    },
    stack,
    home: (userId) => homes.get(userId),
    find,
    show: (userId, view, how) =>
      setStack(userId, how === 'on top' ? [...stack(userId), view] : [view]),
    setHome,
    replace: (view) => {
      const owner = find(view.id)?.userId;
      if (!owner) return;
      if (view.type === 'home') return setHome(owner, view);
      const views = stack(owner).map((one) => (one.id === view.id ? view : one));
      setStack(owner, views);
    },
    close: (userId, how) => setStack(userId, how === 'all' ? [] : stack(userId).slice(0, -1)),
  };
}
