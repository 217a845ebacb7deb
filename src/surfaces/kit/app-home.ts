import type { AnswerOptions } from './answer.ts';
import { claimWith } from './claims.ts';
import { button, buttonRow, type View, viewOf } from './layout.ts';
import type { SurfaceContext } from './surface-context.ts';

/** The channel of requests from the App Home and from modals, which belong to no channel. */
export const NOWHERE = '';

/** Shows the App Home anew, from its first page. */
export const HOME_REFRESH = { id: 'home_refresh', ...claimWith({}) };

/** A view that replaces the App Home, with a Refresh button that brings the App Home back. */
export function inAppHome({ blocks }: View): View {
  const refresh = button({
    ...{ action: HOME_REFRESH, label: 'Refresh', claim: {} },
    spoken: 'Refresh the App Home',
  });
  return viewOf([...blocks, ...buttonRow([refresh])]);
}

/** Returns a `respond` that replaces the contents of a person's App Home. */
export function inHomeOf(userId: string, { workspace }: SurfaceContext): AnswerOptions['respond'] {
  return (view) => workspace.publishHome(userId, inAppHome(view).blocks);
}
