import type { App, BlockAction, ButtonAction, StaticSelectAction } from '@slack/bolt';
import type { Action, Doing, FolderClaim } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { folderNumber } from '../transfers/index.ts';
import {
  answer,
  askerOf,
  type Handler,
  refusalOf,
  respondInThread,
  type StagedView,
} from './answer.ts';
import {
  APP_HOME,
  inHomeOf,
  relink,
  retryAll,
  retryShare,
  showAttention,
  skipAll,
} from './attention.ts';
import { deleteCopies, deleteFile, keepCopies } from './delete-file.ts';
import {
  declineBackfill,
  fileParked,
  keepWaiting,
  leaveParked,
  moveWaiting,
  parkWaiting,
  startBackfill,
  stopBackfill,
} from './earlier-files.ts';
import { findFiles } from './find-files.ts';
import { linkChannel } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { showFiles } from './show-files.ts';
import { showFolders, showProjects } from './show-folders.ts';
import { inChannel } from './sight.ts';

const { ACTIONS, PAGE_ACTIONS } = views;

/** What a button does with its claim, which is unchecked input. */
interface Press<T> {
  doing: Doing;
  /** Whether the answer replaces the message with the button. Default: true. */
  replace?: false;
  handle: Handler<T, StagedView | null>;
  /** Whether the button is also in the App Home, which then shows the answer. */
  inHome?: true;
  /** The command that shows such buttons. Default: `/files`. */
  command?: string;
}

type OnPress = <T>(actions: readonly Action<T>[], press: Press<T>) => void;

/** Handles all buttons and menus. */
export function listenForActions(app: App, context: ListenerContext): void {
  const on: OnPress = (actions, press) => {
    for (const action of actions) onPress(app, action, { ...press, context });
  };
  // Lists the folder that the channel has now, not the one it had when the button was shown.
  on([...Object.values(PAGE_ACTIONS.files), ACTIONS.filesShowAll], {
    doing: 'list',
    handle: showFiles,
  });
  on([...Object.values(PAGE_ACTIONS.found), ACTIONS.foundKind], {
    doing: 'list',
    handle: findFiles,
  });
  on([ACTIONS.deleteFile], { doing: 'delete', handle: deleteFile });
  on([ACTIONS.retryShare], { doing: 'retry', replace: false, handle: retryShare });
  on([ACTIONS.deleteCopies], { doing: 'delete', handle: deleteCopies });
  on([ACTIONS.keepCopies], { doing: 'delete', handle: keepCopies });
  listenForBrowsing(on);
  listenForAttention(on);
  on([ACTIONS.fileParked], earlier(fileParked));
  on([ACTIONS.backfillStart], earlier(startBackfill));
  on([ACTIONS.leaveParked], earlier(leaveParked));
  on([ACTIONS.backfillDecline], earlier(declineBackfill));
  on([ACTIONS.moveWaiting], earlier(moveWaiting));
  on([ACTIONS.keepWaiting], earlier(keepWaiting));
  on([ACTIONS.parkWaiting], earlier(parkWaiting));
  on([ACTIONS.backfillStop], { doing: 'stop-filing', replace: false, handle: stopBackfill });
}

// People who may link a channel decide about its earlier files. If they were asked in a direct
// message, the claim names the channel, and the button fails once they have left it.
function earlier(handle: Handler<FolderClaim>): Press<FolderClaim> {
  return {
    doing: 'file-earlier',
    handle: async (asked, claim, context) => {
      const refusal = refusalOf(asked, 'file-earlier');
      if (refusal) return refusal;
      const there = await inChannel(asked, claim, context);
      return 'refusal' in there ? there.refusal : handle(there, claim, context);
    },
  };
}

// The buttons of `/files status` and of the App Home.
function listenForAttention(on: OnPress): void {
  const attention = { inHome: true as const, command: '/files status' };
  on([ACTIONS.attentionRetry], { ...attention, doing: 'retry', handle: retryAll });
  on([ACTIONS.attentionRelink], { ...attention, doing: 'link', replace: false, handle: relink });
  on([ACTIONS.attentionSkip], { ...attention, doing: 'skip', handle: skipAll });
  const { attention: pages, homeLinks } = PAGE_ACTIONS;
  on([...Object.values(pages), ...Object.values(homeLinks), ACTIONS.homeRefresh], {
    ...attention,
    doing: 'status',
    handle: showAttention,
  });
}

// The buttons of project and folder lists, and "Link this channel".
function listenForBrowsing(on: OnPress): void {
  const browsing = { doing: 'folders' as const, command: '/folders' };
  on([...Object.values(PAGE_ACTIONS.folders), ACTIONS.foldersOfProject], {
    ...browsing,
    handle: showFolders,
  });
  on([ACTIONS.foldersRefresh], {
    ...browsing,
    handle: (asked, page, context) => showFolders(asked, { ...page, again: true }, context),
  });
  on([...Object.values(PAGE_ACTIONS.projects), ACTIONS.allProjects], {
    ...browsing,
    handle: showProjects,
  });
  on([ACTIONS.projectsRefresh], {
    ...browsing,
    handle: (asked, page, context) => showProjects(asked, { ...page, again: true }, context),
  });
  on([ACTIONS.linkFolder], {
    doing: 'link',
    replace: false,
    handle: (asked, folder, context) => linkChannel(asked, folderNumber(folder), context),
  });
  on([ACTIONS.linkChannel], {
    doing: 'link',
    replace: false,
    inHome: true,
    handle: (asked, { channel }, context) =>
      relink(asked, { channel: channel ?? asked.channel }, context),
  });
}

/** Acknowledges a press at once, reads its claim, identifies the person and answers privately. */
function onPress<T>(
  app: App,
  action: Action<T>,
  { context, ...press }: Press<T> & { context: ListenerContext },
): void {
  app.action<BlockAction<ButtonAction | StaticSelectAction>>(
    { type: 'block_actions', action_id: action.id },
    async ({ ack, body, payload, respond }) => {
      await ack();
      const { doing, replace = true, handle, inHome = false, command } = press;
      const isHome = body.view?.type === 'home';
      const channel = isHome && inHome ? APP_HOME : channelIn(body);
      const claim = typeof channel === 'string' ? action.read(claimedBy(payload)) : null;
      if (claim === null)
        context.logger.warn({ action: action.id }, 'A button with an unknown value was pressed');
      const asker = askerOf(body, String(channel));
      const { message_ts: ts, thread_ts: thread } = body.container ?? {};
      const reply = {
        asker,
        respond: isHome
          ? inHomeOf(body.user.id, context)
          : respondInThread(asker, { ts, thread, respond }, context),
        ...{ doing, replace: replace && claim !== null },
      };
      await answer(reply, context, async (asked) =>
        claim === null ? views.buttonOutOfDate({ command }) : handle(asked, claim, context),
      );
    },
  );
}

function claimedBy(pressed: ButtonAction | StaticSelectAction): unknown {
  if (!('selected_option' in pressed)) return pressed.value;
  return views.chosenValue(pressed.block_id, pressed.selected_option.value);
}

function channelIn({ channel, container }: BlockAction): unknown {
  return channel?.id ?? container?.['channel_id'];
}
