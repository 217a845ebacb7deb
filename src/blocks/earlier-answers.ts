import { counted } from './counted.ts';
import { type FolderRef, folderNumber } from './folder-ref.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

/** What takes the place of the offer to file parked files, once somebody took it. */
export function parkedFiled({ count }: { count: number }): View {
  if (count === 0) return say(['These files are on their way already.']);
  const are = count === 1 ? 'is' : 'are';
  return say([`${counted(count, 'file')} ${are} on ${count === 1 ? 'its' : 'their'} way now.`]);
}

/** What takes the place of an offer that somebody took after the channel's link was taken away. */
export function nowhereToFile(): View {
  return say(
    ['Nothing was filed: this channel is not linked to a folder any more.'],
    ['To link it again, type ', { command: '/files link <project>/<folder>' }, '.'],
  );
}

/** What takes the place of an offer that somebody took after the channel got another folder. */
export function linkedElsewhere({ folder }: { folder: FolderRef }): View {
  return say(
    ['Nothing was filed: by now this channel’s files go to another folder, ', { folder }, '.'],
    [
      'To file the earlier ones there, type ',
      { command: `/files link ${folderNumber(folder)}` },
      '.',
    ],
  );
}

/** What takes the place of an offer that somebody declined. */
export function earlierFilesLeft(): View {
  return say(['The earlier files stay in Slack alone. New ones are filed.']);
}

/** What takes the place of the offer to file a channel's past, once somebody took it. */
export function backfillStarted(): View {
  return say(['I am reading what was shared here before. How it goes is told in the channel.']);
}
