import type { Changes } from './changes.ts';
import type { SlackView } from './slack-shapes.ts';

/** The app's views each person has open: a stack of modals, the top one last, and the Home tab. */
export interface Screens {
  stack(userId: string): readonly SlackView[];
  home(userId: string): SlackView | undefined;
  find(viewId: string): { view: SlackView; userId: string } | undefined;
  /** Shows a modal on top of the open ones, or in place of them. */
  show(userId: string, view: SlackView, how: 'on top' | 'alone'): void;
  setHome(userId: string, view: SlackView): void;
  /** Replaces the view that has the same identifier, if it is still shown. */
  replace(view: SlackView): void;
  close(userId: string, how: 'top' | 'all'): void;
}

export function createScreens(changes: Changes): Screens {
  const stacks = new Map<string, SlackView[]>();
  const homes = new Map<string, SlackView>();

  const stack = (userId: string) => stacks.get(userId) ?? [];
  const setStack = (userId: string, views: SlackView[]) => {
    stacks.set(userId, views);
    changes.tell({ what: 'view' });
  };
  const setHome = (userId: string, view: SlackView) => {
    homes.set(userId, view);
    changes.tell({ what: 'view' });
  };
  const find: Screens['find'] = (viewId) => {
    const open = [...stacks].flatMap(([userId, views]) => views.map((view) => ({ userId, view })));
    const home = [...homes].map(([userId, view]) => ({ userId, view }));
    return [...open, ...home].find(({ view }) => view.id === viewId);
  };

  return {
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
