import { type Handler, refusalOf } from '../kit/answer.ts';
import type { Action, FolderClaim } from '../kit/claims.ts';
import { onPress } from '../kit/press.ts';
import { DONE, FORM_OPENED } from '../kit/refusals.ts';
import { inChannel } from '../kit/sight.ts';
import type { Surface } from '../kit/surface.ts';
import type { Listen } from '../kit/surface-context.ts';
import { openSettings } from '../settings/settings-modal.ts';
import { relink } from '../status/attention.ts';
import {
  BACKFILL_DECLINE,
  BACKFILL_START,
  BACKFILL_STOP,
  FILE_PARKED,
  KEEP_LINK,
  KEEP_WAITING,
  LEAVE_PARKED,
  LINK_AGAIN,
  LINK_CHANNEL,
  MOVE_WAITING,
  PARK_WAITING,
  UNLINK,
} from './actions.ts';
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
import { listenForFolderSearch } from './folder-form.ts';
import { askUnlink, linkAgain, linkChannel, unlinkChannel } from './link-channel.ts';
import { LINK_KEPT, UNLINK_USAGE } from './link-messages.ts';
import { listenForChannels } from './listen-for-channels.ts';

/** The folder of a channel: choosing it, removing it, and what was shared before. */
export const link: Surface = {
  verbs: [
    {
      name: 'link',
      doing: 'link',
      afterLooking: (rest) => (rest ? DONE : FORM_OPENED),
      run: (asked, { rest }, context) =>
        rest ? linkChannel(asked, rest, context) : openSettings(asked, context),
    },
    {
      name: 'unlink',
      doing: 'unlink',
      // Further words may mean another channel than the one that it would unlink.
      run: async (asked, { rest }, context) => (rest ? UNLINK_USAGE : askUnlink(asked, context)),
    },
  ],
  help: [
    [
      '/files link',
      'choose the folder for what’s shared in this channel',
      ({ mayLink }) => mayLink,
    ],
    [
      '/files unlink',
      'unlink this channel; files already in the folder stay there',
      ({ mayLink, hasFolder, isDefault }) => mayLink && hasFolder && !isDefault,
    ],
  ],
  listens: [
    listenForChannels,
    listenForFolderSearch,
    onPress([UNLINK], { doing: 'unlink', handle: unlinkChannel }),
    onPress([KEEP_LINK], { doing: 'unlink', handle: async () => LINK_KEPT }),
    onPress([LINK_AGAIN], { doing: 'link', handle: linkAgain }),
    onPress([LINK_CHANNEL], {
      ...{ doing: 'link', replace: false, inHome: true },
      handle: (asked, { channel }, context) =>
        relink(asked, { channel: channel ?? asked.channel }, context),
    }),
    earlier(FILE_PARKED, fileParked),
    earlier(LEAVE_PARKED, leaveParked),
    earlier(MOVE_WAITING, moveWaiting),
    earlier(KEEP_WAITING, keepWaiting),
    earlier(PARK_WAITING, parkWaiting),
    earlier(BACKFILL_START, startBackfill),
    earlier(BACKFILL_DECLINE, declineBackfill),
    onPress([BACKFILL_STOP], { doing: 'stop-filing', replace: false, handle: stopBackfill }),
  ],
};

// People who may link a channel decide about its earlier files. If they were asked in a direct
// message, the claim names the channel, and the button fails once they have left it.
function earlier(action: Action<FolderClaim>, handle: Handler<FolderClaim>): Listen {
  return onPress([action], {
    doing: 'file-earlier',
    handle: async (asked, claim, context) => {
      const refusal = refusalOf(asked, 'file-earlier');
      if (refusal) return refusal;
      const there = await inChannel(asked, claim, context);
      return 'refusal' in there ? there.refusal : handle(there, claim, context);
    },
  });
}
