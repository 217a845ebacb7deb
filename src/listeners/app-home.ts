import type { App } from '@slack/bolt';
import { inAppHome } from '../blocks/index.ts';
import { type AnswerOptions, admit, answer } from './answer.ts';
import { APP_HOME, FIRST, showAttention } from './attention.ts';
import type { ListenerContext } from './listener-context.ts';

/** Shows somebody the App Home when they open it. */
export function listenForAppHome(app: App, context: ListenerContext): void {
  app.event('app_home_opened', async ({ event: { tab, user: userId } }) => {
    if (tab !== 'home') return;
    const { team } = context.workspace.identity;
    const asker = { team, channel: APP_HOME, userId, userTeam: null };
    const reply = { respond: inHomeOf(userId, context), doing: 'status' as const, by: userId };
    const opened = answer(reply, context, () =>
      admit(asker, context, (asked) =>
        showAttention({ asked, place: FIRST, notice: null }, context),
      ),
    );
    context.inBackground(opened);
  });
}

/** Answers in somebody's App Home, in the place of what stood there. */
export function inHomeOf(userId: string, { workspace }: ListenerContext): AnswerOptions['respond'] {
  return (view) => workspace.publishHome(userId, inAppHome(view).blocks);
}
