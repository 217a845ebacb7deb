import type { App } from '@slack/bolt';
import { answer } from '../kit/answer.ts';
import { HOME_REFRESH, inHomeOf, NOWHERE } from '../kit/app-home.ts';
import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { HOME_CHANNEL, HOME_PAGES } from '../status/actions.ts';
import { FIRST_PAGES, showAttention } from '../status/attention.ts';
import { chooseChannel } from './choose-channel.ts';

/** The App Home. */
export const home: Surface = {
  listens: [
    (app: App, context: SurfaceContext) =>
      app.event('app_home_opened', async ({ event: { tab, user } }) => {
        if (tab === 'home') context.inBackground(showHome(user, context));
      }),
    onPress(Object.values(HOME_PAGES), { doing: 'status', inHome: true, handle: showAttention }),
    onPress([HOME_CHANNEL], { doing: 'link', inHome: true, handle: chooseChannel }),
    onPress([HOME_REFRESH], {
      ...{ doing: 'status', inHome: true },
      handle: (asked, _, context) => showAttention(asked, FIRST_PAGES, context),
    }),
  ],
};

function showHome(userId: string, context: SurfaceContext): Promise<void> {
  const asker = { channel: NOWHERE, userId, userTeam: null };
  const reply = { asker, respond: inHomeOf(userId, context), doing: 'status' as const };
  return answer(reply, context, (asked) => showAttention(asked, FIRST_PAGES, context));
}
